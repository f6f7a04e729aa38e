#!/bin/bash
# mosquitto 2.0.11 (Debian 12), dynamic security plugin: which edits disconnect clients has little to do with their
# rights.
#
# Adding one line to a role's access list (addRoleACL) disconnects every client that has the role; replacing the whole
# list (modifyRole with "acls") disconnects nobody and holds at once. modifyGroup disconnects all members of the group
# even where it changes nothing but the text name, while the same in a role (modifyRole) does not. With a fleet in one
# group, correcting a typo in its description makes every board reconnect in the same second.
#
# Seen, a member of the group and a client with the role alone: addRoleACL -> out, out; modifyRole with a new list ->
# stays, stays; modifyRole, text name -> stays, stays; modifyGroup, text name -> out, stays
# shellcheck source=mosquitto.sh
. "$(dirname "$0")/mosquitto.sh"
finding "modifyGroup of a text name ends every member's connection; modifyRole replaces all rights and ends none"
in_tree mosquitto_ctrl dynsec init "$work/security.json" admin secret >/dev/null
plugin=$(find "$tree/usr/lib" -name mosquitto_dynamic_security.so)
broker "allow_anonymous false" "plugin $plugin" "plugin_opt_config_file $work/security.json"

# dynsec JSON: gives it to the plugin.
dynsec() {
  # shellcheck disable=SC2016  # the dollar is the topic's
  local control='$CONTROL/dynamic-security/v1' answer
  answer=$(in_tree mosquitto_rr -h 127.0.0.1 -p "$port" -u admin -P secret -V 5 -W 5 -t "$control" \
    -e "$control/response" -m "{\"commands\":[$1]}" 2>/dev/null)
  case $answer in '' | *'"error"'*) give_up "the plugin answered: $answer" ;; esac
}
# after JSON: what became of the connections of both clients.
after() {
  local name pids=() fates=()
  for name in member other; do
    subscriber "$name" -V 5 -u "$name" -P secret -t 'owntracks/#'
    pids+=("$started_pid")
  done
  dynsec "$1"
  sleep 2
  for name in 0 1; do
    if kill -0 "${pids[name]}" 2>/dev/null; then fates+=(stays); else fates+=(out); fi
    stop TERM "${pids[name]}"
  done
  echo "${fates[*]}"
}

right='{"acltype":"subscribePattern","topic":"owntracks/#","allow":true}'
publishing='{"acltype":"publishClientSend","topic":"owntracks/#","allow":true}'
dynsec '{"command":"createClient","username":"member","password":"secret"}'
dynsec '{"command":"createClient","username":"other","password":"secret"}'
dynsec "{\"command\":\"createRole\",\"rolename\":\"tracker\",\"acls\":[$right]}"
dynsec '{"command":"createGroup","groupname":"boards"}'
dynsec '{"command":"addGroupRole","groupname":"boards","rolename":"tracker"}'
dynsec '{"command":"addGroupClient","groupname":"boards","username":"member"}'
dynsec '{"command":"addClientRole","username":"other","rolename":"tracker"}'
holds "modifyRole with a text name: member, other" "stays stays" \
  "$(after '{"command":"modifyRole","rolename":"tracker","textname":"Trackers"}')"
holds "modifyGroup with a text name: member, other" "out stays" \
  "$(after '{"command":"modifyGroup","groupname":"boards","textname":"The boards"}')"
holds "PUBACK of a publish before" 135 "$(puback -V 5 -u member -P secret -t owntracks/jane/van -m x)"
holds "modifyRole with one right more: member, other" "stays stays" \
  "$(after "{\"command\":\"modifyRole\",\"rolename\":\"tracker\",\"acls\":[$right,$publishing]}")"
holds "PUBACK of a publish afterwards" 16 "$(puback -V 5 -u member -P secret -t owntracks/jane/van -m x)"
adding='{"command":"addRoleACL","rolename":"tracker","acltype":"publishClientSend","topic":"photos/#","allow":true}'
holds "addRoleACL: member, other" "out out" "$(after "$adding")"
verdict
