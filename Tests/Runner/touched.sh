# Read by Tests/run: programs that say what they touch run where one of these has changed since they last passed.
# What has passed stands in Tests/Runner/proven, one line each: a sum of all that it touches, its name. A run adds its
# own; commit them with the change that they prove. Nights run everything. The sums are those of the moment at which the
# build began: what was edited since then is not what ran.
# shellcheck shell=bash disable=SC2154  # what Tests/run has

proven=Tests/Runner/proven
proven_now=()
run_everything=no
declare -A states=()

# state_of FILE: a sum of the program, of what it touches and of what all of them use; nothing without git.
state_of() {
  local paths
  read -ra paths < <(sed -n 's/^# touches: //p' "$1" | paste -sd' ')
  [ "${#paths[@]}" -gt 0 ] || return 1
  git rev-parse --git-dir >/dev/null 2>&1 || return 1
  git ls-files -z --cached --others --exclude-standard -- "$1" Tests/Programs/world Tests/Programs/shims Package.swift \
    "${paths[@]}" | sort -zu | xargs -0 sha256sum 2>/dev/null | sha256sum | cut -c1-32
}

# take_states: before the build begins.
take_states() {
  local file state
  states=()
  while read -r _ file; do
    if state=$(state_of "$file"); then states[$file]=$state; fi
  done < <(longest_first "")
}

# is_proven FILE: says so too.
is_proven() {
  [ "$run_everything" = no ] && [ -e "$proven" ] && [ -n "${states[$1]:-}" ] || return 1
  grep -qx "${states[$1]} ${1##*/}" "$proven" || return 1
  proven_now+=("$1")
  say "proven  ${1##*/}: what it touches has not changed since it passed"
}

note_proven() {
  local state=${states[$1]:-} name=${1##*/}
  [ -n "$state" ] || return 0
  if [ "$(state_of "$1")" != "$state" ]; then
    say "changed $name: what it touches was edited since the build began, it is not noted as proven"
    return 0
  fi
  {
    grep -v " $name\$" "$proven" 2>/dev/null
    echo "$state $name"
  } | sort -k2 >"$logs/proven"
  cmp -s "$logs/proven" "$proven" || cp "$logs/proven" "$proven"
}
