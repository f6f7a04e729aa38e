# shellcheck shell=bash
# What the findings share: a temporary folder, packages in it, programs out of them, and the comparison. To be sourced.
#
# Nothing is installed into the system. Debian's packages are fetched with everything that they depend on, down to the C
# library, unpacked and run through their own loader, so a finding means the same on any Debian that runs it.
set -u -o pipefail
export LC_ALL=C.UTF-8

# A finding that takes longer than this has failed.
if [ -z "${FINDING_IS_TIMED:-}" ]; then FINDING_IS_TIMED=1 exec timeout -k 60 170 bash "$0" "$@"; fi

work=$(mktemp -d)
tree=$work/debian
changes=0 compared=0

# Ends what was started here and still runs: by its number, and only where that is still a program out of $work.
clean_up() {
  trap '' TERM INT
  local pid
  if [ -e "$work/started" ]; then
    while read -r pid; do
      if grep -qaF "$work" "/proc/$pid/cmdline"; then kill -KILL "$pid" && wait "$pid"; fi
    done <"$work/started"
  fi 2>/dev/null
  rm -rf "$work"
}
trap clean_up EXIT
trap 'echo "failed: stopped before it had come to its end"; exit 1' TERM INT

skip() { echo "skipped: $*"; exit 77; }
give_up() { echo "failed: $*" | tee "$work/failed" >&2; exit 1; }

# software NAME VERSION, finding TEXT: the head of the output.
software() { echo "software: $1 $2"; }
finding() { printf 'finding:  %s\n' "$*" | fold -s -w 100 | sed 's/ *$//; 2,$s/^/          /'; }

# holds WHAT EXPECTED SEEN: one claim.
holds() {
  if [ -e "$work/failed" ]; then exit 1; fi
  compared=$((compared + 1))
  if [ "$2" = "$3" ]; then
    printf '  %s: %s\n' "$1" "$3"
  else
    printf 'changed: %s: was %s, is %s\n' "$1" "${2:-(nothing)}" "${3:-(nothing)}"
    changes=$((changes + 1))
  fi
}

verdict() {
  if [ -e "$work/failed" ]; then exit 1; fi
  [ "$compared" -gt 0 ] || give_up "nothing was compared"
  [ "$changes" = 0 ] || exit 1
  echo "still so"
  exit 0
}

# debian RELEASE PACKAGE=VERSION...: unpacks these packages of Debian, and what they need, to $tree.
debian() {
  local release=$1 mirror apt=$work/apt here
  shift
  command -v apt-get dpkg-deb >/dev/null || skip "needs apt and dpkg"
  # shellcheck source=/dev/null
  here=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
  # shellcheck disable=SC2016  # the dollars are apt's
  mirror=$(apt-get indextargets --format '$(REPO_URI) $(COMPONENT) $(CREATED_BY) $(RELEASE)' |
    awk -v release="$here" '$2 == "main" && $3 == "Packages" && $4 == release {print $1; exit}')
  # Before the first "apt-get update" of a machine apt knows no targets, but where it would look for them.
  if [ -z "$mirror" ]; then
    mirror=$(apt-get update --print-uris 2>/dev/null | sed -n "s|^'\([^']*\)/dists/$here/InRelease'.*|\1|p" | head -n 1)
  fi
  [ -n "$mirror" ] || skip "apt's configuration names no mirror of Debian"
  mkdir -p "$tree" "$apt/lists/partial" "$apt/archives/partial"
  : >"$apt/status"
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $release main" >"$apt/sources"
  local options=(-qq -o APT::Sandbox::User= -o APT::Install-Recommends=false -o Debug::NoLocking=true
    -o Dir::Etc::sourcelist="$apt/sources" -o Dir::Etc::sourceparts=/dev/null -o Dir::State::status="$apt/status"
    -o Dir::State::lists="$apt/lists" -o Dir::Cache::archives="$apt/archives" -o Dir::Cache::pkgcache=
    -o Dir::Cache::srcpkgcache= -o Acquire::Languages=none -o Dir::State::extended_states="$apt/extended")
  apt-get "${options[@]}" update >"$apt/log" 2>&1 || skip "Debian's $release is out of reach: $(tail -n 1 "$apt/log")"
  apt-get "${options[@]}" -y --download-only install "$@" >"$apt/log" 2>&1 ||
    skip "Debian's $release does not offer $*: $(grep '^E:' "$apt/log" | head -n 1)"
  local package
  for package in "$apt"/archives/*.deb; do
    dpkg-deb -x "$package" "$tree" || skip "cannot unpack ${package##*/}"
  done
  rm -rf "$apt"
  loader=$(find "$tree"/{lib64,usr/lib64,lib,usr/lib} -maxdepth 2 -name 'ld-linux*.so.?' 2>/dev/null | head -n 1)
  libraries=$(find "$tree/lib" "$tree/usr/lib" -maxdepth 1 -name '*-linux-gnu' -type d | paste -sd :)
  if [ -z "$loader" ] || [ -z "$libraries" ]; then give_up "there is no C library among the packages"; fi
}

# program NAME: where $tree has it.
program() {
  local folder
  for folder in usr/sbin usr/bin sbin bin; do
    if [ -x "$tree/$folder/$1" ]; then echo "$tree/$folder/$1" && return; fi
  done
  give_up "there is no program $1 among the packages"
}

# in_tree NAME ARGUMENT...: runs a program of $tree and waits for it.
in_tree() {
  local name=$1
  shift
  PYTHONHOME=$tree/usr PYTHONDONTWRITEBYTECODE=1 "$loader" --library-path "$libraries" "$(program "$name")" "$@"
}

# start LOG NAME ARGUMENT...: the same in the background, with its output in $work/LOG and its number in $started_pid.
# ${wrapper[@]} is what runs it, where it needs something around it.
wrapper=()
start() {
  local log=$1 name=$2
  shift 2
  "${wrapper[@]}" "$loader" --library-path "$libraries" "$(program "$name")" "$@" >>"$work/$log" 2>&1 </dev/null &
  started_pid=$!
  echo "$started_pid" >>"$work/started"
}

# stop SIGNAL PID: ends a program that was started here, and waits for its end.
stop() {
  kill "-$1" "$2" 2>/dev/null
  wait "$2" 2>/dev/null
  return 0
}

is_taken() { { : <"/dev/tcp/127.0.0.1/$1"; } 2>/dev/null; }

# free_port: a port of 127.0.0.1 at which nobody listens, nor at the next one.
free_port() {
  local port
  while :; do
    port=$((20000 + RANDOM % 10000))
    if ! is_taken "$port" && ! is_taken $((port + 1)); then echo "$port" && return; fi
  done
}

# await_port PORT: waits until somebody listens there.
await_port() {
  local n
  for n in $(seq 200); do
    if is_taken "$1"; then return; fi
    sleep 0.1
  done
  give_up "nobody listens at port $1 after ${n}00 ms"
}

# await_line FILE TEXT: waits until a line of the file has the text.
await_line() {
  local n
  for n in $(seq 200); do
    if grep -qF -- "$2" "$1" 2>/dev/null; then return; fi
    sleep 0.1
  done
  give_up "no \"$2\" after ${n}00 ms"
}

# nmea SENTENCE...: the sentences with their checksums, as a receiver sends them.
nmea() {
  local sentence sum code i
  for sentence; do
    sum=0
    for ((i = 0; i < ${#sentence}; i++)); do
      printf -v code %d "'${sentence:i:1}"
      sum=$((sum ^ code))
    done
    # shellcheck disable=SC2016  # the dollar is the sentence's
    printf '$%s*%02X\r\n' "$sentence" "$sum"
  done
}

# pypi NAME==VERSION...: fetches these packages of PyPI, and nothing that they depend on, to $work/wheels, out of which
# python reads them. Needs python3-pip in $tree.
pypi() {
  local bundle=${PIP_CERT:-/etc/ssl/certs/ca-certificates.crt}
  if [ ! -e "$bundle" ]; then
    bundle=$work/authorities.pem
    cat "$tree"/usr/share/ca-certificates/mozilla/*.crt >"$bundle"
  fi
  PIP_CERT=$bundle in_tree python3.11 -m pip download -q --no-deps --only-binary :all: --no-cache-dir \
    --disable-pip-version-check -d "$work/wheels" "$@" >"$work/pip.log" 2>&1 ||
    skip "PyPI does not offer $*: $(tail -n 1 "$work/pip.log")"
}
python() { PYTHONPATH=$(printf '%s\n' "$work"/wheels/*.whl | paste -sd :) in_tree python3.11 "$@"; }
