# Read by Tests/run: the unit tests. Which of them wait, are long or measure is in slow-units.
# shellcheck shell=bash disable=SC2154,SC2034  # what Tests/run and the other parts have

slow_units=Tests/Runner/slow-units
# Where the programs of that build are, and what runs its unit tests.
units_bin=
units=()

# list_units FOLDER: the test program itself: while `swift test` runs, nothing else can be built. A program that cannot
# say which tests it has runs none of them.
list_units() {
  units_bin=$1
  units=("$1/homewardPackageTests.xctest" --testing-library swift-testing)
  "${units[@]}" --list-tests >"$logs/listed" 2>"$logs/listing" && [ -s "$logs/listed" ] && return
  tail -30 "$logs/listing"
  fail "the unit tests could not be listed: ${units[*]} --list-tests"
  return 1
}

# slow KIND...: those of slow-units of these kinds, as a pattern for a test's whole name.
slow() {
  local kinds
  kinds=$(IFS='|'; echo "$*")
  echo "[./]($(sed -nE "s/^($kinds) +//p" "$slow_units" | paste -sd'|'))[/(]"
}

# Tests take turns on as many threads as there are processors: those that wait run beside the others, as a
# process of their own, and so do those of the uplink, many of which wait for a moment.
all_units() {
  ran=0
  beside waits "${units[@]}" --filter "$(slow waits)"
  beside uplink "${units[@]}" --filter '^UplinkTests[.]' --skip "$(slow waits measures)"
  beside others "${units[@]}" --skip '^UplinkTests[.]' --skip "$(slow waits measures)"
  count_units others "unit tests"
  count_units uplink "unit tests of the uplink"
  count_units waits "unit tests that wait"
  all_ran measures
  slow_units_are_there
}

# all_ran KIND...: all that are listed but for these kinds.
all_ran() {
  local listed
  listed=$(grep -cvE "$(slow "$@")" "$logs/listed")
  [ "$ran" = "$listed" ] || fail "unit tests: $ran came to their end, the program lists $listed"
}

# One after the other, on a machine that does nothing else: a neighbour's memory is not theirs.
measured_units() {
  env HOMEWARD_ALONE=1 "${units[@]}" --no-parallel --filter "$(slow measures)" >"$logs/measures" 2>&1
  count_tests "unit tests that measure" "$?" "$logs/measures"
  grep -a '^measure: ' "$logs/measures"
}

quick_units() {
  ran=0
  beside quick "${units[@]}" --skip "$(slow waits computes measures)"
  count_units quick "unit tests"
  all_ran waits computes measures
  slow_units_are_there
}

slow_units_are_there() {
  local name
  while read -r name; do
    grep -q "[./]${name}[/(]" "$logs/listed" || fail "$slow_units: there is no $name"
  done < <(sed -nE 's/^[a-z]+ +//p' "$slow_units")
}

# count_units KEY TITLE: waits for what runs beside under that key, and counts test by test.
count_units() {
  ended "$1"
  count_tests "$2" "$?" "$logs/$1"
}

# count_tests TITLE STATUS LOG
count_tests() {
  local name=$1 status=$2 log=$3 all took good bad left_out
  # Swift Testing: a mark, then `Test NAME failed after`. How many there were is in its own sum: what tests
  # print beside each other may stand in one line or lack an end.
  grep -avE '^[^ ]+ +Test run ' "$log" >"$log.tests"
  read -r all took < <(sed -nE 's/.*Test run with ([0-9]+) tests? .* after ([0-9]+)\..*/\1 \2/p' "$log" |
    tail -1)
  bad=$(grep -aoE '[^ ]+ +Test [^ ]+( with [0-9]+ test cases?)? failed after ' "$log.tests" | wc -l)
  left_out=$(grep -acE '^[^ ]+ +Test .* skipped' "$log.tests")
  good=$((${all:-0} - bad - left_out))
  ran=$((${ran:-0} + ${all:-0}))
  if [ "$left_out" -gt 0 ]; then
    skipped=$((skipped + left_out))
    say "skip    $name: $left_out"
    grep -aE '^[^ ]+ +Test .* skipped' "$log.tests" | head -20
  fi
  [ "$good" -gt 0 ] && pass "$name: $good ($took s)" "$good"
  if [ "$bad" -gt 0 ]; then
    grep -aE 'recorded an issue|failed after|: error:|^[^ ]+ +↳' "$log" | head -100
    if [ -n "${counts_at_once:-}" ]; then
      failed=$((failed + bad))
      say "not ok  $name: $bad"
    else
      say "again   $name: $bad"
      mapfile -t -O "${#units_again[@]}" units_again < <(
        grep -aoE '[^ ]+ +Test [^ ]+( with [0-9]+ test cases?)? failed after ' "$log.tests" |
          sed -nE 's/^[^ ]+ +Test ([A-Za-z0-9_]+).*/\1/p' | sort -u)
    fi
  fi
  # A failed test makes it end with 1, after its sum; whatever else it says or does not say is a failure of the whole.
  if [ -z "$all" ]; then
    tail -30 "$log"
    fail "$name: the test runner did not come to its end, status $status"
  elif [ "$status" != 0 ] && [ "$status,$((bad > 0))" != 1,1 ]; then
    tail -30 "$log"
    fail "$name: the test runner ended with status $status"
  elif [ "$all" = 0 ]; then
    fail "$name: none were found"
  fi
}

# What only a watched run shows: a read beyond the end, two threads at one place, a shift that C leaves
# undefined. Slow and large, so that people and nights ask for it by name. One build at a time: each takes 2 GB.
# Swift has no sanitizer of undefined behaviour here and ends a program over most of it by itself; our C is
# built to trap, which the crash names.
sanitize() {
  local kind short flags slowed counts_at_once=yes
  case ${1:-address} in
    address | thread) ;;
    *)
      fail "no sanitizer is named $1: address, thread (undefined behaviour is in both)"
      return 1 ;;
  esac
  for kind in ${1:-address thread}; do
    flags=(--sanitize="$kind" -Xcc -fsanitize=undefined -Xcc -fsanitize-trap=undefined)
    short=.build-${kind:0:1}san
    if ! has_sanitizer "$kind"; then
      skip "unit tests under the $kind sanitizer: $(tail -1 "$logs/tiny.log")"
      continue
    fi
    stage "debug build with the $kind sanitizer" swift build --build-tests "${flags[@]}" \
      --scratch-path "$short" -j "${JOBS:-2}" || continue
    # Under that of threads the kernel tells of 20,000 routes faster than we read: the tests of floods take minutes.
    slowed='^-'
    [ "$kind" = thread ] && slowed='[.]NetworkNamespaceTests'
    # Those of the simulator ask whether judges bark, in a hundred whole worlds: worlds come below, and less slowly.
    # Leaks are not looked for: the runtime's own caches are never given back.
    ASAN_OPTIONS=detect_leaks=0 TSAN_OPTIONS=suppressions="$PWD/Tests/Instruments/Sanitize/thread.supp" \
      HOMEWARD_SANITIZED=1 swift test --skip-build "${flags[@]}" --scratch-path "$short" \
      --skip '^SimulationTests[.]' --skip "$(slow measures)" --skip "$slowed" >"$logs/unit" 2>&1
    count_tests "unit tests under the $kind sanitizer" "$?" "$logs/unit"
    grep -aE 'Sanitizer: |runtime error: |^    #[0-9]+ ' "$logs/unit" | head -60
    stage "simulated worlds under the $kind sanitizer, seeds 1..20" env ASAN_OPTIONS=detect_leaks=0 \
      TSAN_OPTIONS=suppressions="$PWD/Tests/Instruments/Sanitize/thread.supp" "$short/debug/simulate" 1 20
  done
}

# Whether this toolchain can build with it, and what comes out runs here.
has_sanitizer() {
  printf 'print("ran")\n' >"$logs/tiny.swift"
  { swiftc -sanitize="$1" "$logs/tiny.swift" -o "$logs/tiny" && "$logs/tiny"; } >"$logs/tiny.log" 2>&1 &&
    grep -q '^ran' "$logs/tiny.log"
}
