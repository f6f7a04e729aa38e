# Read by Tests/run: what takes longer than anybody waits for.
# shellcheck shell=bash disable=SC2154,SC2034  # what Tests/run and the other parts have

# What is measured is printed beside the last numbers of this machine; it never fails for a number. HOMEWARD_BEFORE names
# the homewardd of a release, which the bench then measures in the same run.
measure() {
  local file known=${HOMEWARD_FIGURES:-${XDG_STATE_HOME:-$HOME/.local/state}/homeward-tests/figures}
  mkdir -p "${known%/*}"
  release_build homewardd homeward homeward-web || return
  debug_tests || return
  for file in Tests/Programs/*/measure-*; do
    if [ ! -x "$file" ] || [ ! -f "$file" ]; then continue; fi
    stage "${file##*/}" env HOMEWARD_FIGURES="$logs/figures" "$file"
  done
  measured_units
  Tests/Runner/figures "$logs/figures" "$known"
  stage "bench" Tests/Instruments/Bench/run --quick ${HOMEWARD_BEFORE:+--before "$HOMEWARD_BEFORE"}
  cat "$logs/stage"
}

# Where pip cannot have Home Assistant, it says why; where there is no Recorder, its test does.
consumers() {
  local file
  release_build homewardd homeward homeward-web || return
  if HOMEWARD_HOME_ASSISTANT=$(Tests/Outside/consumers/install 2>"$logs/install"); then
    export HOMEWARD_HOME_ASSISTANT
  else
    skip "consumers: $(tail -1 "$logs/install")"
    HOMEWARD_HOME_ASSISTANT=
  fi
  for file in Tests/Outside/consumers/test-*; do
    [ -n "$HOMEWARD_HOME_ASSISTANT" ] || [ "${file##*/}" = test-recorder.py ] || continue
    start_test "$file"
    reap
  done
}

# One at a time: what a phone waits for is measured.
page() {
  local file
  release_build homewardd homeward homeward-web || return
  stage "browsers" Tests/Outside/browsers/install || return
  for file in Tests/Outside/browsers/test-*"${1:-}"*; do
    start_test "$file"
    reap
  done
}

# The draw begins with the day. What lives is told, too: each is a line that wants a test.
breaks() {
  stage "breaks of the sources" Tests/Instruments/Mutants/draw 100 --seed "$(date +%Y%m%d)"
  grep -aE '^(lives|unreached) |noticed' "$logs/stage"
}

# Interrupted, it goes on with the part that it was at (parts.sh). What no landing runs comes first: a night that has to be
# ended early then has looked where nobody else does.
nightly() {
  run_everything=yes parts_named=$1
  part "differential" stage "differential" Tests/Instruments/Differential/run
  part "consumers" consumers
  part "page" page ""
  part "2,000 worlds" seeds 1..2000
  part "sanitizers" sanitize
  if [ "$(id -u)" = 0 ]; then
    # The oldest Swift that is promised, Debian 13's.
    part "trixie" stage "install.sh with Debian 13's own Swift" Tests/Programs/install/install-in-chroot --build trixie
    part "trixie's tests" stage "the tests with Debian 13's own Swift" Tests/Instruments/trixie
    part "power cuts" stage "power cuts of the store" Tests/Instruments/PowerCuts/run --cuts 20000 --jobs 2
  elif [ -z "$parts_named" ]; then
    skip "Debian 13's own Swift, power cuts of the store: both take root"
  fi
  part "breaks" breaks
  part "everything, the first time" land
  part "everything, the second time" land
  part "measure" measure
  [ -n "$parts_named" ] || no_flaky_ones
  all_parts_done
}
