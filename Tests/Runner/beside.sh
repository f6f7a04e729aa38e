# Read by Tests/run: what runs while others do.
# shellcheck shell=bash disable=SC2154  # what Tests/run has

declare -A besides=()

# beside KEY COMMAND...: starts it; what it says goes to $logs/KEY.
beside() {
  local key=$1
  shift
  setsid "$@" >"$logs/$key" 2>&1 &
  besides[$key]=$!
}

# yielding KEY COMMAND...: the same with little more than the processor time that nobody else wants. The kernel
# may weigh the session in place of the process, hence the first line.
yielding() {
  local key=$1
  shift
  # shellcheck disable=SC2016  # expanded by that shell
  beside "$key" bash -c 'echo 10 2>/dev/null >/proc/self/autogroup; exec nice -n 10 "$@"' bash "$@"
}

# ended KEY: waits for it; its status.
ended() {
  local status pid=${besides[$1]}
  # Now it is waited for: it need not yield any longer, where this user may say so.
  { echo 0 >"/proc/$pid/autogroup" && renice -n 0 -g "$pid"; } >/dev/null 2>&1
  wait "$pid"
  status=$?
  kill -KILL -- "-$pid" 2>/dev/null
  unset "besides[$1]"
  return "$status"
}

# Release builds of these products, one after the other, while others run.
begin_builds() {
  # shellcheck disable=SC2016  # expanded by that shell
  yielding builds bash -c '
    logs=$1; shift
    for product; do
      start=$SECONDS
      swift build -c release --static-swift-stdlib --product "$product" >"$logs/build-$product" 2>&1
      echo "$? $((SECONDS - start))" >"$logs/built-$product"
    done' bash "$logs" "$@"
}

end_builds() {
  local product status took failed=0
  ended builds
  for product; do
    read -r status took <"$logs/built-$product" || status=1
    judge_stage "release build of $product" "$status" "$logs/build-$product" "${took:-0}" || failed=1
  done
  HOMEWARD_BIN=$(swift build -c release --static-swift-stdlib --show-bin-path) || failed=1
  export HOMEWARD_BIN
  return "$failed"
}

builds() {
  begin_builds "$@"
  end_builds "$@"
}

# Hostile worlds, each made of a seed: see Tests/Simulator.
begin_seeds() {
  seeds_wanted=$1
  seeds_began=$SECONDS
  yielding seeds Tests/Simulator/run --seeds "$1" --jobs 2
}

end_seeds() {
  if ended seeds; then
    pass "simulated worlds, seeds $seeds_wanted ($((SECONDS - seeds_began)) s)"
    # Complaints that nobody has explained yet are no success either.
    grep -a '^known: ' "$logs/seeds" | cut -c1-400
    skipped=$((skipped + $(grep -ac '^known: ' "$logs/seeds")))
  else
    grep -av '^sums ' "$logs/seeds" | cut -c1-400 | head -40
    fail "simulated worlds, seeds $seeds_wanted"
  fi
}
