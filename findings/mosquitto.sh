# shellcheck shell=bash
# For the findings about mosquitto: the broker of Debian 12 and its command-line clients. To be sourced, with the names
# of further packages that the finding needs.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
software "mosquitto and libmosquitto" "2.0.11-1.2+deb12u2 (Debian 12)"
debian bookworm mosquitto=2.0.11-1.2+deb12u2 mosquitto-clients=2.0.11-1.2+deb12u2 "$@"
port=$(free_port)

# broker LINE...: starts the broker with these lines of configuration, as $broker_pid. Its log names all packets.
broker() {
  printf '%s\n' "listener $port 127.0.0.1" "user $(id -un)" "log_type all" "$@" >"$work/mosquitto.conf"
  start mosquitto.log mosquitto -c "$work/mosquitto.conf"
  # shellcheck disable=SC2034  # of the scripts
  broker_pid=$started_pid
  await_port "$port"
}

# The clients; puback prints the reason codes of a publisher's PUBACKs.
publish() { in_tree mosquitto_pub -h 127.0.0.1 -p "$port" "$@"; }
subscribe() { in_tree mosquitto_sub -h 127.0.0.1 -p "$port" "$@"; }
puback() { publish -q 1 -d "$@" 2>/dev/null | sed -n 's/.*received PUBACK (Mid: [0-9]*, RC:\([0-9]*\))/\1/p'; }

# subscriber NAME ARGUMENT...: a subscriber of this client id in the background, as $started_pid, from its SUBACK on;
# what it prints goes to $work/NAME.
subscriber() {
  local name=$1 before n
  shift
  subacks() { grep -cF "Sending SUBACK to $name" "$work/mosquitto.log"; }
  before=$(subacks)
  start "$name" mosquitto_sub -h 127.0.0.1 -p "$port" -i "$name" "$@"
  for n in $(seq 200); do
    if [ "$(subacks)" -gt "$before" ]; then return; fi
    sleep 0.1
  done
  give_up "no SUBACK for $name after ${n}00 ms"
}
