# Read by Tests/run: what takes a whole night is run in parts. Which of them passed at this very state of the tree is kept,
# so that a night that was interrupted goes on where it was; once all have passed, the next one begins anew.
# shellcheck shell=bash disable=SC2154,SC2034  # what Tests/run has

parts_file=${HOMEWARD_NIGHT:-${XDG_STATE_HOME:-$HOME/.local/state}/homeward-tests/night}
# Whether all that passed did so in a tree that nothing was edited in.
parts_kept=yes
# What the names of the parts that are wanted have in them.
parts_named=

# What runs write into the tree, and what is made of it.
outcomes=(":!$proven" ":!Tests/Simulator/figures" ":!RELIABILITY.md")

# A sum of the whole tree but for these; nothing without git.
state_of_tree() {
  git rev-parse --git-dir >/dev/null 2>&1 || return
  git ls-files -z --cached --others --exclude-standard -- . "${outcomes[@]}" | sort -zu | xargs -0 sha256sum 2>/dev/null |
    sha256sum | cut -c1-32
}

# The commit that this is, as Tests/Simulator/report wants it.
version_of_tree() {
  local dirty=
  git status --porcelain -- . "${outcomes[@]}" | grep -q . && dirty=-dirty
  echo "$(git rev-parse --short=8 HEAD)$dirty"
}

# part NAME COMMAND...: where it is wanted; one that has passed before counts as it did then.
part() {
  local name=$1 state line before=$passed gone=$skipped bad=$failed start=$SECONDS
  shift
  [[ $name = *"$parts_named"* ]] || return 0
  state=$(state_of_tree)
  if [ -n "$state" ] && line=$(grep -m1 "^$state $name: " "$parts_file" 2>/dev/null); then
    read -r _ _ then_passed then_skipped _ <<<"${line/ $name: / . }"
    passed=$((passed + then_passed)) skipped=$((skipped + then_skipped))
    say "before  $name: ${line#*: }"
    return
  fi
  say "# $name"
  "$@"
  try_again
  if [ "$((passed - before + skipped - gone + failed - bad))" = 0 ]; then fail "$name: nothing was run"; fi
  if [ "$failed" != "$bad" ] || [ -z "$state" ]; then return; fi
  if [ "$(state_of_tree)" != "$state" ]; then
    parts_kept=no
    say "changed $name: the tree was edited while it ran, it is not kept as passed"
    return
  fi
  mkdir -p "${parts_file%/*}" &&
    echo "$state $name: $((passed - before)) $((skipped - gone)) passed and skipped, $((SECONDS - start)) s, $(version_of_tree)" \
      >>"$parts_file"
}

# all_parts_done: where nothing has failed of the whole, the next night begins anew.
all_parts_done() {
  if [ "$failed" = 0 ] && [ "$parts_kept" = yes ] && [ -z "$parts_named" ] && [ -f "$parts_file" ]; then
    mv "$parts_file" "$parts_file-passed"
    say "# Tests/Simulator/report --night $parts_file-passed"
  fi
}
