# Read by Tests/run: the programs that test the built daemon, test-* of Programs and Board. What one says of
# itself stands in its first lines:
#
#   # takes: 90 s       about; those that take longest begin first
#   # limit: 300 s      ended after that, 300 s where it says nothing
#   # busy              computes: one at a time, since more would spoil what is timed
#   # alone             keeps all processors busy: has the machine to itself, at the end
#   # debug too         runs on the debug daemon as well: assertions, exclusive access
#
# shellcheck shell=bash disable=SC2154  # what Tests/run has

# Nearly all of them do little but wait for a time to pass.
at_once=8
declare -A running=()
# The one of them that computes.
worker=

# e2e [NAME]: HOMEWARD_BIN has the programs, debug_bin those of the debug build where they are to be run too.
e2e() {
  local wanted=${1:-} file busy=() others=() alone=()
  while read -r _ file; do
    case "$file" in *"$wanted"*) ;; *) continue ;; esac
    if says "$file" alone; then
      alone+=("$file")
    elif says "$file" busy; then
      busy+=("$file")
    else
      others+=("$file")
    fi
  done < <(longest_first)
  [ "$((${#busy[@]} + ${#others[@]} + ${#alone[@]}))" -gt 0 ] || fail "no end-to-end test is named *$wanted*"
  while [ "$((${#busy[@]} + ${#others[@]} + ${#running[@]}))" -gt 0 ]; do
    if [ "${#running[@]}" -ge "$at_once" ]; then
      reap
    elif [ "${#busy[@]}" -gt 0 ] && [ -z "$worker" ]; then
      start_test "${busy[0]}"
      worker=$! busy=("${busy[@]:1}")
    elif [ "${#others[@]}" -gt 0 ]; then
      start_test "${others[0]}"
      others=("${others[@]:1}")
    else
      reap
    fi
  done
  if [ -n "${besides[seeds]:-}" ]; then end_seeds; fi
  for file in "${alone[@]}"; do
    start_test "$file"
    reap
  done
}

# says FILE WORD: whether it says that of itself.
says() { grep -q "^# $2\$" "${1#debug:}"; }

# "seconds file", one a line: short ones fill the gaps at the end. `debug:` stands before a file for the debug
# daemon.
longest_first() {
  local file takes
  for file in Tests/Programs/*/test-* Tests/Programs/board/test-*; do
    if [ ! -x "$file" ] || [ ! -f "$file" ]; then continue; fi
    takes=$(sed -n 's/^# takes: \([0-9]*\) s$/\1/p' "$file" | head -1)
    echo "${takes:-0} $file"
    if [ -n "$debug_bin" ] && says "$file" "debug too"; then echo "${takes:-0} debug:$file"; fi
  done | sort -k1,1nr -k2
}

start_test() {
  local file=${1#debug:} name limit programs=${HOMEWARD_BIN:-}
  name=$(basename "$file")
  if [ "$file" != "$1" ]; then name="debug daemon: $name" programs=$debug_bin; fi
  limit=$(sed -n 's/^# limit: \([0-9]*\) s$/\1/p' "$file" | head -1)
  HOMEWARD_BIN=$programs setsid timeout -k 10 "${limit:-300}" "$file" >"$logs/$name" 2>&1 &
  running[$!]="$SECONDS $name"
}

# Waits for one test to end, ends what it left behind, counts its lines.
reap() {
  local pid status name start log good bad left_out
  wait -n -p pid "${!running[@]}"
  status=$?
  [ -n "${pid:-}" ] || return
  read -r start name <<<"${running[$pid]}"
  unset "running[$pid]"
  [ "$pid" != "$worker" ] || worker=
  kill -KILL -- "-$pid" 2>/dev/null
  log="$logs/$name"
  good=$(grep -ac '^ok ' "$log")
  bad=$(grep -ac '^not ok ' "$log")
  left_out=$(grep -ac '^skip ' "$log")
  passed=$((passed + good)) failed=$((failed + bad)) skipped=$((skipped + left_out))
  if [ "$bad" -gt 0 ]; then cat "$log"; else grep -a '^skip ' "$log"; fi
  if [ "$status" = 124 ] || [ "$status" = 137 ]; then
    [ "$bad" -gt 0 ] || tail -30 "$log"
    fail "$name: not done in time"
  elif [ "$bad" = 0 ] && [ "$status" != 0 ]; then
    tail -30 "$log"
    fail "$name: ended with status $status"
  elif [ "$((good + bad + left_out))" = 0 ]; then
    fail "$name: said nothing"
  elif [ "$bad" = 0 ]; then
    say "ok      $name: $good ($((SECONDS - start)) s)"
  else
    say "not ok  $name: $bad of $((good + bad))"
  fi
}
