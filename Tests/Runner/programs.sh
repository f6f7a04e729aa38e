# Read by Tests/run: what tests the built programs, test-* below Programs. What one says of itself stands in its first
# lines:
#
#   # takes: 90 s       about; those that take longest begin first
#   # limit: 1800 s     ended after that, or after 1200 s where that is more
#   # busy              computes: one at a time
#   # alone             keeps all processors busy: has the machine to itself, at the end
#   # behaviour: TITLE  the section of docs/behaviour.md that it holds
#   # touches: PATH...  runs where one of these has changed since it last passed (Tests/Runner/proven), and each night
#
# shellcheck shell=bash disable=SC2154,SC2030,SC2031,SC2034  # what Tests/run has; shells that count for themselves

# Nearly all of them do little but wait for a time to pass.
at_once=8
declare -A running=()
# The one of them that computes.
worker=
# While they run beside the builds.
programs_pid=

# begin_programs: all but those that want the machine to themselves, in a shell of its own that leaves its counts.
begin_programs() {
  (
    passed=0 failed=0 skipped=0 besides=() programs_pid=
    trap 'end_running; exit 1' TERM
    some_programs ""
    declare -p passed failed skipped programs_again proven_now >"$logs/programs-counted"
  ) &
  programs_pid=$!
}

end_programs() {
  local before=("$passed" "$failed" "$skipped")
  wait "$programs_pid"
  programs_pid=
  if [ ! -e "$logs/programs-counted" ]; then
    fail "the programs' tests did not come to their end"
    return
  fi
  # shellcheck source=/dev/null
  . <(sed 's/^declare /declare -g /' "$logs/programs-counted")
  passed=$((passed + before[0])) failed=$((failed + before[1])) skipped=$((skipped + before[2]))
}

# any_named NAME
any_named() {
  [ -n "$(longest_first "$1")" ] && return
  fail "no program's test is named *$1*"
  return 1
}

# some_programs NAME: those with NAME in their file name; HOMEWARD_BIN has the programs.
some_programs() {
  local file busy=() others=()
  any_named "$1" || return
  while read -r _ file; do
    if says "$file" alone; then continue; fi
    if [ -z "$1" ] && is_proven "$file"; then continue; fi
    if says "$file" busy; then busy+=("$file"); else others+=("$file"); fi
  done < <(longest_first "$1")
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
}

# programs_alone [NAME]
programs_alone() {
  local file
  while read -r _ file; do
    says "$file" alone || continue
    if [ -z "${1:-}" ] && is_proven "$file"; then continue; fi
    start_test "$file"
    reap
  done < <(longest_first "${1:-}")
}

# says FILE WORD: whether it says that of itself.
says() { grep -q "^# $2\$" "$1"; }

# longest_first NAME: "seconds file", one a line: short ones fill the gaps at the end.
longest_first() {
  local file takes
  for file in Tests/Programs/*/test-*; do
    if [ ! -x "$file" ] || [ ! -f "$file" ]; then continue; fi
    case "${file##*/}" in *"$1"*) ;; *) continue ;; esac
    takes=$(sed -n 's/^# takes: \([0-9]*\) s$/\1/p' "$file" | head -1)
    echo "${takes:-0} $file"
  done | sort -k1,1nr -k2
}

# limit_of FILE: seconds. A busy machine is no fault: what meets this limit hangs.
limit_of() {
  local limit
  limit=$(sed -n 's/^# limit: \([0-9]*\) s$/\1/p' "$1" | head -1)
  echo "${HOMEWARD_LIMIT:-$((${limit:-0} > 1200 ? limit : 1200))}"
}

start_test() {
  local file=$1
  setsid timeout -k 10 "$(limit_of "$file")" "$file" >"$logs/${file##*/}" 2>&1 &
  running[$!]="$SECONDS $file"
}

# Waits for one test to end, ends what it left behind, counts its lines. What fails is counted when it has run again.
reap() {
  local pid status file start log good bad left_out
  wait -n -p pid "${!running[@]}"
  status=$?
  [ -n "${pid:-}" ] || return
  read -r start file <<<"${running[$pid]}"
  unset "running[$pid]"
  [ "$pid" != "$worker" ] || worker=
  kill -KILL -- "-$pid" 2>/dev/null
  log="$logs/${file##*/}"
  judge_program "$file" "$status" "$log" || {
    say "again   ${file##*/}: $fault"
    grep -aE '^not ok ' "$log" || tail -30 "$log"
    programs_again+=("$file")
    return
  }
  passed=$((passed + good)) skipped=$((skipped + left_out))
  grep -a '^skip ' "$log"
  say "ok      ${file##*/}: $good ($((SECONDS - start)) s)"
  [ "$left_out" -gt 0 ] || note_proven "$file"
}

# judge_program FILE STATUS LOG: sets good, bad, left_out and, where it fails, fault.
judge_program() {
  good=$(grep -ac '^ok ' "$3")
  bad=$(grep -ac '^not ok ' "$3")
  left_out=$(grep -ac '^skip ' "$3")
  fault=
  if [ "$2" = 124 ] || [ "$2" = 137 ]; then
    fault="not done in time"
  elif [ "$bad" -gt 0 ]; then
    fault="$bad of $((good + bad))"
  elif [ "$2" != 0 ]; then
    fault="ended with status $2"
  elif [ "$((good + left_out))" = 0 ]; then
    fault="said nothing"
  fi
  [ -z "$fault" ]
}
