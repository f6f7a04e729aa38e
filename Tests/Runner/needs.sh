# Read by Tests/run: what this machine lacks, and how it is installed.
# shellcheck shell=bash disable=SC2154  # what Tests/run has

# "is it there? | package", one a line.
needs() {
  cat <<'LIST'
command -v gpsd | gpsd
command -v mosquitto | mosquitto
command -v mosquitto_sub | mosquitto-clients
command -v python3 | python3
command -v openssl | openssl
command -v strace | strace
command -v fdtoverlay | device-tree-compiler
command -v sfdisk | fdisk
command -v ip | iproute2
command -v mkfs.ext4 | e2fsprogs
command -v sqlite3 | sqlite3
command -v unshare | util-linux
command -v mmdebstrap | mmdebstrap
command -v minisign | minisign
command -v lintian | lintian
command -v shellcheck | shellcheck
command -v git | git
test -e /etc/ssl/certs/ca-certificates.crt | ca-certificates
command -v gcc | gcc
command -v ld.lld | lld
command -v pkg-config | pkg-config
command -v qemu-system-x86_64 | qemu-system-x86
test -e /usr/include/gps.h | libgps-dev
test -e /usr/include/bluetooth/hci_lib.h | libbluetooth-dev
test -e /usr/include/mosquitto.h | libmosquitto-dev
test -e /usr/include/sqlite3.h | libsqlite3-dev
test -e /usr/include/jansson.h | libjansson-dev
test -e /usr/include/expat.h | libexpat1-dev
test -e /usr/include/microhttpd.h | libmicrohttpd-dev
test -e /usr/share/javascript/leaflet/leaflet.min.js | libjs-leaflet
command -v systemd-socket-activate | systemd
command -v zbarimg | zbar-tools
test -e /usr/include/openssl/sslerr.h | libssl-dev
gcc -fsyntax-only -include curl/curl.h -x c /dev/null | libcurl4-openssl-dev
ls /usr/lib/*/libsodium.so.23 | libsodium23
ls /usr/lib/*/libqrencode.so.4 | libqrencode4
ls /usr/lib/*/libcurl.so.4 /usr/lib/*/libcurl-gnutls.so.4 | libcurl4
test -e "$(gcc -print-file-name=libstdc++.so)" | g++
command -v swift | swiftlang
LIST
}

install_needs() {
  local test package missing=() as_root=()
  while IFS='|' read -r test package; do
    eval "$test" >/dev/null 2>&1 || missing+=("${package// /}")
  done < <(needs)
  [ "${#missing[@]}" = 0 ] && return 0
  if ! command -v apt-get >/dev/null; then
    fail "missing here: ${missing[*]} (no apt-get: install them by hand)"
    return 1
  fi
  if [ "$(id -u)" != 0 ]; then
    if ! command -v sudo >/dev/null; then
      fail "missing here: ${missing[*]}; run: su -c 'apt-get install ${missing[*]}'"
      return 1
    fi
    as_root=(sudo)
  fi
  say "installing ${missing[*]}"
  "${as_root[@]}" apt-get update -qq >"$logs/apt" 2>&1
  case " ${missing[*]} " in
    *" swiftlang "*)
      if ! apt-cache show swiftlang >/dev/null 2>&1; then
        fail "no swift in PATH and none in Debian's archive here: install Swift 6.0 or later from swift.org"
        return 1
      fi ;;
  esac
  if ! "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    "${missing[@]}" >>"$logs/apt" 2>&1; then
    tail -20 "$logs/apt"
    fail "apt-get could not install: ${missing[*]}"
    return 1
  fi
}
