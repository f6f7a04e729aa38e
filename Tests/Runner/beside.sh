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

# ended KEY: waits for it; its status.
ended() {
  local status pid=${besides[$1]}
  wait "$pid"
  status=$?
  kill -KILL -- "-$pid" 2>/dev/null
  unset "besides[$1]"
  return "$status"
}

end_running() {
  local pid
  for pid in "${!running[@]}" "${besides[@]}"; do kill -KILL -- "-$pid" 2>/dev/null; done
  if [ -n "$programs_pid" ]; then kill -TERM "$programs_pid" 2>/dev/null && wait "$programs_pid"; fi
}

begin_lint() {
  lint_began=$SECONDS
  if swift format --version >/dev/null 2>&1; then
    beside lint swift format lint --strict --parallel --recursive Sources Tests Package.swift
  fi
}

end_lint() {
  if [ -z "${besides[lint]:-}" ]; then
    skip "lint: this Swift has no swift-format"
    return
  fi
  ended lint
  judge_stage "lint" "$?" "$logs/lint" "$((SECONDS - lint_began))"
}

# Hostile worlds, each made of a seed: see Tests/Simulator.
begin_seeds() {
  seeds_wanted=$1
  seeds_began=$SECONDS
  beside seeds Tests/Simulator/run --seeds "$1" --jobs 2
}

end_seeds() {
  if ended seeds; then
    pass "simulated worlds, seeds $seeds_wanted ($((SECONDS - seeds_began)) s)"
    # Complaints that nobody has explained yet are no success either.
    grep -a '^known: ' "$logs/seeds" | cut -c1-400
    skipped=$((skipped + $(grep -ac '^known: ' "$logs/seeds")))
  else
    grep -av '^sums ' "$logs/seeds" | cut -c1-400 | head -40
    fail "simulated worlds, seeds $seeds_wanted: Tests/run seeds $seeds_wanted"
  fi
}
