# Read by Tests/run: the builds.
# shellcheck shell=bash disable=SC2154  # what Tests/run has

# Landings test programs that are optimised and linked as the shipped ones are, with assertions and exclusive access
# looked after. Programs and unit tests are made of the same objects, so that nothing is compiled twice.
checked=(-c release --scratch-path .build-checked -Xswiftc -enable-testing
  -Xswiftc -assert-config -Xswiftc Debug -Xswiftc -enforce-exclusivity=checked -Xswiftc -gnone)

# checked_build [PRODUCT]: all programs at once keep both processors busy. The unit tests link theirs otherwise, in the
# same place: hence the copies.
checked_build() {
  local product built only=(${1:+--product "$1"})
  stage "checked build of ${1:-the programs}" env HOMEWARD_STATIC=1 swift build "${checked[@]}" "${only[@]}" || return
  find_built "${checked[@]}" || return
  export HOMEWARD_BIN=$PWD/.build-checked/programs
  mkdir -p "$HOMEWARD_BIN"
  for product in ${1:-homewardd homeward homeward-web simulate}; do
    # A name of its own first: what a leftover process still runs cannot be written to, but replaced.
    if ! cp "$built/$product" "$HOMEWARD_BIN/$product.new" || ! mv -f "$HOMEWARD_BIN/$product.new" "$HOMEWARD_BIN/$product"; then
      rm -f "$HOMEWARD_BIN/$product.new"
      fail "$product could not be copied to $HOMEWARD_BIN"
      return 1
    fi
  done
}

# find_built OPTION...: sets built, where a build with these options puts what it makes.
find_built() {
  built=$(swift build "$@" --show-bin-path) && [ -n "$built" ] && return
  fail "swift does not say where it builds: swift build $* --show-bin-path"
  return 1
}

checked_tests() {
  local built
  stage "checked build of the unit tests, warnings as errors" swift build "${checked[@]}" \
    --product homewardPackageTests --explicit-target-dependency-import-check error || return
  find_built "${checked[@]}" && list_units "$built"
}

# For people at work: a change of one file is compiled again in seconds.
debug_tests() {
  local built
  stage "debug build, warnings as errors" swift build --build-tests \
    --explicit-target-dependency-import-check error || return
  find_built && list_units "$built"
}

# As install.sh builds it.
release_build() {
  local product built broken=0
  for product; do
    stage "release build of $product" swift build -c release --static-swift-stdlib --product "$product" || broken=1
  done
  find_built -c release --static-swift-stdlib || broken=1
  export HOMEWARD_BIN=$built
  return "$broken"
}
