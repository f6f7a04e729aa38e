# Read by Tests/run: programs that say what they touch run where one of these has changed since they last passed.
# What has passed stands in Tests/Runner/proven, one line each: a sum of all that it touches, its name. A run adds its
# own; commit them with the change that they prove. Nights run everything.
# shellcheck shell=bash disable=SC2154  # what Tests/run has

proven=Tests/Runner/proven
proven_now=()
run_everything=no

# state_of FILE: a sum of the program, of what it touches and of what all of them use; nothing without git.
state_of() {
  local paths
  read -ra paths < <(sed -n 's/^# touches: //p' "$1" | paste -sd' ')
  [ "${#paths[@]}" -gt 0 ] || return 1
  git rev-parse --git-dir >/dev/null 2>&1 || return 1
  git ls-files -z --cached --others --exclude-standard -- "$1" Tests/Programs/world Tests/Programs/shims Package.swift \
    "${paths[@]}" | sort -zu | xargs -0 sha256sum 2>/dev/null | sha256sum | cut -c1-32
}

# is_proven FILE: says so too.
is_proven() {
  local state
  [ "$run_everything" = no ] && [ -e "$proven" ] || return 1
  state=$(state_of "$1") || return 1
  grep -qx "$state ${1##*/}" "$proven" || return 1
  proven_now+=("$1")
  say "proven  ${1##*/}: what it touches has not changed since it passed"
}

note_proven() {
  local state name=${1##*/}
  state=$(state_of "$1") || return 0
  {
    grep -v " $name\$" "$proven" 2>/dev/null
    echo "$state $name"
  } | sort -k2 >"$logs/proven"
  cmp -s "$logs/proven" "$proven" || cp "$logs/proven" "$proven"
}
