# Read by Tests/run: what failed runs once more, alone. What passes then counts as passed, is printed as flaky, and stays
# in a list that the nightly tier complains of.
# shellcheck shell=bash disable=SC2154  # what Tests/run has

programs_again=()
units_again=()
flaky_list=${HOMEWARD_FLAKY:-${XDG_STATE_HOME:-$HOME/.local/state}/homeward-tests/flaky}

try_again() {
  local file name
  for file in "${programs_again[@]}"; do program_again "$file"; done
  for name in "${units_again[@]}"; do unit_again "$name"; done
  programs_again=() units_again=()
}

program_again() {
  local name=${1##*/} first good bad left_out fault start=$SECONDS
  first=$(grep -am1 '^not ok ' "$logs/$name" || tail -1 "$logs/$name")
  setsid timeout -k 10 "$(limit_of "$1")" "$1" >"$logs/$name-again" 2>&1 &
  wait "$!"
  judge_program "$1" "$?" "$logs/$name-again"
  kill -KILL -- "-$!" 2>/dev/null
  passed=$((passed + good)) skipped=$((skipped + left_out))
  if [ -z "$fault" ]; then
    is_flaky "$name" "$first"
  else
    cat "$logs/$name-again"
    failed=$((failed + (bad > 0 ? bad : 1)))
    say "not ok  $name: $fault, twice; again with: Tests/run e2e $name ($((SECONDS - start)) s)"
  fi
}

unit_again() {
  if "${units[@]}" --filter "[./]$1[/(]" >"$logs/unit-again" 2>&1 &&
    grep -qaE 'Test run with [1-9][0-9]* tests? .* passed' "$logs/unit-again"; then
    passed=$((passed + 1))
    is_flaky "$1" "$(grep -ahE "Test $1\\(.*recorded an issue" "$logs"/{others,uplink,waits} 2>/dev/null | head -1)"
  else
    grep -aE 'recorded an issue|failed after|: error:|^[^ ]+ +↳' "$logs/unit-again" | head -40
    fail "$1, twice"
  fi
}

# is_flaky NAME FIRST: what it said when it failed.
is_flaky() {
  say "flaky   $1: failed beside others, passed alone: $2"
  mkdir -p "${flaky_list%/*}" &&
    echo "$(date +%F) $(git rev-parse --short HEAD 2>/dev/null) $1: $2" >>"$flaky_list"
}

# For the nights: whatever passed at the second try since the last one.
no_flaky_ones() {
  if [ -s "$flaky_list" ]; then
    cat "$flaky_list"
    fail "flaky: $(wc -l <"$flaky_list") in $flaky_list; repair them, then remove that file"
  else
    pass "nothing was flaky"
  fi
}
