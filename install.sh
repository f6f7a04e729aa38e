#!/bin/sh
# Installs Homeward on Debian 12 and 13 and on 64-bit Raspberry Pi OS. `./install.sh --help` says more.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
daemon=/usr/local/sbin/homewardd
tool=/usr/local/bin/homeward
units=/etc/systemd/system
manual=/usr/local/share/man
share=/usr/local/share
unit=$units/homeward.service
switch=/usr/local/sbin/homeward-radio
halt=/usr/local/sbin/homeward-halt
outage=/usr/local/sbin/homeward-outage
parts=/usr/local/libexec/homeward
etc=/etc/homeward
config=$etc/homeward.otrc
example=$etc/homeward.otrc.example
store=/var/lib/homeward
account=homeward

usage() {
  cat <<'END'
usage: ./install.sh [install] [--config FILE] [--page] [--package FILE.deb | --programs DIR]
       ./install.sh uninstall [--purge]
       ./install.sh build
       ./install.sh demo [--speed N]

install    installs what Debian packages Homeward needs, builds it, installs programs, user and
           service, asks for the broker (at a terminal) and starts. Run it again to upgrade:
           configuration and store stay as they are. Where a package of Homeward that fits lies
           beside install.sh (homeward_*.deb), that is installed and nothing built.
  --config FILE    use this configuration, for example the export of a phone's OwnTracks app
  --page           serve a page with a map to phones in the vehicle; at a terminal that is asked
  --package FILE   install this package of Homeward
  --programs DIR   install homewardd and homeward from DIR instead of building them here
uninstall  removes programs, service and user. Configuration and store stay.
  --purge          removes them too
build      installs what the build needs and builds, nothing else
demo       shows a drive with a real gpsd and a real broker, all private, and cleans up

Files: /usr/local/sbin/homewardd  /usr/local/bin/homeward  /usr/local/sbin/homeward-radio
       /usr/local/sbin/homeward-halt  /usr/local/sbin/homeward-outage  /usr/local/libexec/homeward
       with the page also /usr/local/sbin/homeward-web and /usr/local/share/homeward
       homeward.service, and .path and .service of homeward-radio, homeward-halt and homeward-outage, in
       /etc/systemd/system
       manual pages in /usr/local/share/man, completion for bash, zsh and fish in /usr/local/share
       /etc/homeward/homeward.otrc (configuration)  /var/lib/homeward (store)
       A package has its programs in /usr, not in /usr/local; configuration and store are the same.
END
}

say() { printf '%s\n' "$*"; }
die() { printf 'install.sh: %s\n' "$*" >&2; exit 1; }

# Runs a command with the rights of root, by sudo where that is needed.
root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

need_root() {
  [ "$(id -u)" = 0 ] || command -v sudo >/dev/null ||
    die "this needs root and there is no sudo: run it as root (su -c ./install.sh)"
}

# What building and the demo take.
# shellcheck source=board/toolchain
. "$here/board/toolchain"

# --- install --------------------------------------------------------------------------------------

# Asks people for a configuration.
# shellcheck source=board/questions
. "$here/board/questions"
# shellcheck source=board/first-position
. "$here/board/first-position"
# shellcheck source=board/page-setup
. "$here/board/page-setup"

configure() {
  root install -d -m 0750 -o root -g "$account" "$etc"
  root install -m 0644 "$here/board/homeward.otrc.example" "$example"
  if [ -n "$given" ]; then
    place "$given" ||
      die "$given is not used, and $(if root test -e "$config"; then echo "$config stays as it was"; else
        echo "nothing was configured"; fi): $(printf '\n' && place_words)"
    device=$(sed -n 's/.*"deviceId"[^"]*"\([^"]*\)".*/\1/p' "$given" | head -n 1)
    [ -z "$device" ] ||
      say "note: this board publishes as device \"$device\". If a phone still does so too, they throw each
      other off the broker: give each a deviceId and a clientId of its own."
  elif root test -e "$config"; then
    if ! words=$(root "$tool" config check "$config" 2>&1) && [ -t 0 ] && [ -t 2 ]; then
      say "$words"
      ask_until wrong_choice "This configuration is wrong. Answer the questions for a new one (yes/no)" yes
      if is_yes "$answer"; then ask_for_configuration; fi
    else
      say "kept $config"
    fi
  elif [ -n "$answers" ]; then
    place "$answers" || {
      say "that makes no configuration:" && place_words && say "Once more, please."
      ask_for_configuration
    }
  fi
}

# What people are asked, before they wait for a build: the broker, where there is no configuration, and the page.
ask_first() {
  if [ -z "$given" ] && [ -t 0 ] && [ -t 2 ] && ! root test -e "$config"; then
    begin_answers
    question >"$answers"
  fi
  ask_for_page
}

# The receiver is read by gpsd, which a demo may have left switched off.
enable_gpsd() {
  [ "$(systemctl is-enabled gpsd.socket 2>/dev/null)" = disabled ] || return 0
  [ "$(systemctl is-enabled gpsd.service 2>/dev/null)" != enabled ] || return 0
  say "switching gpsd.socket on: the receiver is read by gpsd"
  root systemctl -q enable --now gpsd.socket || say "note: gpsd.socket could not be switched on"
}

# Whether there is a configuration to start with; says what to do where there is none.
is_configured() {
  if ! root test -e "$config"; then
    say "not started: there is no configuration yet. Answer a few questions: sudo homeward setup
  or take the export of a phone's app: sudo homeward config import phone.otrc
  and then run: systemctl enable --now homeward"
    return 1
  fi
  root "$tool" config check "$config" ||
    die "not started: fix $config (the lines above say where), then: systemctl enable --now homeward"
}

# Libraries that the tracker loads only where the configuration asks for what they do.
wanted_packages() {
  root test -e "$config" || return 0
  # A value: the key alone, or an empty text, asks for nothing.
  if root grep -q '"encryptionKey" *: *"[^"]' "$config"; then packages libsodium23; fi
  # Debian 13 has it under another package's name, which apt finds by this one.
  if root grep -q '"mode" *: *"*3' "$config" && ! ls /usr/lib/*/libcurl.so.4 >/dev/null 2>&1; then
    packages libcurl4
  fi
}

create_account() {
  getent passwd "$account" >/dev/null ||
    root useradd --system --user-group --home-dir "$store" --no-create-home \
      --shell /usr/sbin/nologin "$account" ||
    die "could not create the user $account: see the line above"
  root install -d -m 0750 -o "$account" -g "$account" "$store"
  # After an uninstall the files belong to a number that may now be someone else's.
  root chown -R "$account:$account" "$store"
}

start() {
  if [ -d /run/systemd/system ]; then root systemctl daemon-reload; fi
  is_configured || return 0
  if [ ! -d /run/systemd/system ]; then
    say "not started: systemd is not running here. By hand, as root:
  install -d -m 0750 -o $account -g $account /run/homeward && runuser -u $account -- $daemon"
    return 0
  fi
  enable_gpsd
  root systemctl -q enable homeward
  root systemctl restart homeward 2>/dev/null || {
    root journalctl -q -n 1 -o cat _SYSTEMD_UNIT=homeward.service >&2
    die "the service did not start: the line above says why (more: journalctl -u homeward)"
  }
  say "running. Root and members of the group $account may ask it: homeward status"
  await_position 60
}

# Whether apt could install that package here: it may be for another machine or another Debian.
fits() { apt-get install -s -qq "$1" >/dev/null 2>&1; }

# The newest package beside install.sh that fits, in $deb.
find_package() {
  for file in "$here"/homeward_*_"$(dpkg --print-architecture)".deb; do
    [ -e "$file" ] || continue
    fits "$file" || refresh
    if ! fits "$file"; then
      say "note: $file is not for this Debian, and left where it is"
    elif [ -z "$deb" ] || dpkg --compare-versions "$(dpkg-deb -f "$file" Version)" gt \
      "$(dpkg-deb -f "$deb" Version)"; then
      deb=$file
    fi
  done
}

# The package brings programs, units, user and folders, and takes over from an installation in /usr/local.
install_package() {
  deb=$(realpath "$deb")
  daemon=/usr/sbin/homewardd tool=/usr/bin/homeward
  packages gpsd
  say "installing $deb"
  root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends --allow-downgrades \
    "$deb" >/dev/null || die "apt-get could not install $deb: see the lines above"
  configure
  wanted_packages
  say "installed $daemon and $tool; man homeward says more"
  start
  start_page
}

install_all() {
  [ -z "$given" ] || [ -r "$given" ] || die "cannot read $given: give the file that the phone exported"
  need_root
  if [ -n "$deb" ]; then
    [ -r "$deb" ] || die "cannot read $deb: give the file that board/package made"
    check_system
  elif [ -z "$programs" ]; then
    check_system
    find_package
    if [ -n "$deb" ] && is_installed homeward && dpkg --compare-versions "$(dpkg-deb -f "$deb" Version)" lt \
      "$(dpkg-query -W -f='${Version}' homeward)"; then
      die "$deb, which lies here, is older than what is installed: remove it, or give it by --package"
    fi
    [ -z "$deb" ] || say "using $deb, which lies here, and building nothing"
  fi
  if [ -z "$deb" ] && is_installed homeward; then
    die "homeward is installed as a package here: give --package FILE.deb, or remove it (apt-get remove homeward)"
  fi
  ask_first
  if [ -n "$deb" ]; then
    install_package
    return
  fi
  if [ -z "$programs" ]; then
    built=yes
    build homewardd homeward
  else
    check_system
    packages libmosquitto1 libsqlite3-0 libjansson4 libexpat1
  fi
  # procps has the kill that `systemctl reload` uses; minimal systems lack it.
  packages gpsd procps
  for program in homewardd homeward; do
    [ -f "$programs/$program" ] || die "there is no $program in $programs: build it, or leave --programs away"
  done
  create_account
  root install -d "${daemon%/*}" "${tool%/*}" "${unit%/*}"
  root install -m 0755 "$programs/homewardd" "$daemon"
  root install -m 0755 "$programs/homeward" "$tool"
  if command -v strip >/dev/null; then root strip "$daemon" "$tool"; fi
  if ldd "$daemon" "$tool" 2>&1 | grep 'not found' >&2; then
    die "the programs were built for another system: build them here instead of giving --programs"
  fi
  configure
  wanted_packages
  root install -m 0755 "$here/board/homeward-radio" "$switch"
  root install -m 0755 "$here/board/homeward-halt" "$halt"
  root install -m 0755 "$here/board/homeward-outage" "$outage"
  root install -D -m 0755 "$here/board/homeward-setup" "$parts/homeward-setup"
  root install -m 0644 "$here/board/questions" "$parts/questions"
  for file in homeward.service homeward-radio.path homeward-radio.service homeward-halt.path \
    homeward-halt.service homeward-outage.path homeward-outage.service; do
    root install -m 0644 "$here/board/$file" "$units/$file"
  done
  for text in homeward.1 homeward.otrc.5 homewardd.8 homeward-web.8; do
    root install -D -m 0644 "$here/board/man/$text" "$manual/man${text##*.}/$text"
  done
  root install -D -m 0644 "$here/board/completion/bash" "$share/bash-completion/completions/homeward"
  root install -D -m 0644 "$here/board/completion/zsh" "$share/zsh/site-functions/_homeward"
  root install -D -m 0644 "$here/board/completion/fish" "$share/fish/vendor_completions.d/homeward.fish"
  say "installed $daemon, $tool and $unit; man homeward says more"
  start
  if [ -n "$page" ]; then install_page; fi
  start_page
}

# --- uninstall, demo ------------------------------------------------------------------------------

uninstall() {
  need_root
  remove_page
  # While it still runs: afterwards nobody takes it back.
  if command -v homeward >/dev/null; then root homeward withdraw >/dev/null 2>&1 || true; fi
  if is_installed homeward && [ "$purge" = no ]; then root apt-get remove -qq -y homeward >/dev/null; fi
  # Also where it was removed before, and only its configuration is left.
  if [ "$purge" = yes ] && dpkg-query -W homeward >/dev/null 2>&1; then
    root apt-get purge -qq -y homeward >/dev/null
  fi
  if [ -d /run/systemd/system ] && [ -e "$unit" ]; then
    root systemctl -q disable --now homeward || say "note: the service could not be stopped"
  fi
  root rm -f "$unit" "$units/homeward-radio.path" "$units/homeward-radio.service" \
    "$units/homeward-halt.path" "$units/homeward-halt.service" "$units/homeward-outage.path" \
    "$units/homeward-outage.service" "$daemon" "$tool" "$switch" "$halt" "$outage" \
    "$parts/homeward-setup" "$parts/questions" \
    "$units/multi-user.target.wants/homeward.service" \
    "$share/bash-completion/completions/homeward" "$share/zsh/site-functions/_homeward" \
    "$share/fish/vendor_completions.d/homeward.fish" \
    "$manual/man1/homeward.1" "$manual/man5/homeward.otrc.5" "$manual/man8/homewardd.8" \
    "$manual/man8/homeward-web.8"
  root rmdir "$parts" 2>/dev/null || true
  if [ -d /run/systemd/system ]; then root systemctl daemon-reload; fi
  if [ "$purge" = yes ]; then root rm -rf "$etc" "$store"; fi
  if getent group "$account" >/dev/null; then root gpasswd -M '' "$account"; fi
  if getent passwd "$account" >/dev/null; then
    root userdel "$account" || die "could not remove the user $account: end its processes and run this again"
  fi
  if getent group "$account" >/dev/null; then root groupdel "$account"; fi
  if [ "$purge" = yes ]; then
    say "removed, with configuration and store"
  else
    say "removed. Configuration ($etc) and store ($store) are still there; --purge removes them"
  fi
}

# Debian starts a broker and gpsd as soon as they are installed, and with every start of the board: the demo brings
# its own, and what was not there before is not left running.
leave_off() {
  for package in "$@"; do
    for unit in "$package.service" "$package.socket"; do
      [ -e "/usr/lib/systemd/system/$unit" ] || [ -e "/lib/systemd/system/$unit" ] || continue
      # The helper works for a package's own scripts only, and asks which package that is.
      root systemctl -q disable "$unit" 2>/dev/null ||
        root env DPKG_MAINTSCRIPT_PACKAGE="$package" deb-systemd-helper disable "$unit" >/dev/null || true
      if [ -d /run/systemd/system ]; then root systemctl -q stop "$unit" || true; fi
    done
    say "$package was installed for the demo and is not left running; to be rid of it: apt-get remove $package"
  done
}

demo() {
  check_system
  find_swift
  new=
  for package in mosquitto gpsd; do is_installed "$package" || new="$new $package"; done
  packages gpsd mosquitto mosquitto-clients python3
  # The list is meant to be split.
  # shellcheck disable=SC2086
  leave_off $new
  build homewardd
  exec python3 "$here/board/demo/demo.py" --daemon "$programs/homewardd" --speed "$speed"
}

# --- the command line -----------------------------------------------------------------------------

command=install
case ${1:-} in
  install | uninstall | demo | build) command=$1 && shift ;;
  help) usage && exit 0 ;;
esac
given='' programs='' deb='' page='' built=no purge=no speed=20 answers=''
while [ $# -gt 0 ]; do
  case $command:$1 in
    *:-h | *:--help) usage && exit 0 ;;
    install:--config | install:--programs | install:--package | demo:--speed)
      [ $# -ge 2 ] || die "$1 needs a value: see ./install.sh --help"
      case $1 in
        --config) given=$2 ;;
        --programs) programs=$2 ;;
        --package) deb=$2 ;;
        --speed) speed=$2 ;;
      esac
      shift
      ;;
    uninstall:--purge) purge=yes ;;
    install:--page) page=yes ;;
    *) die "unknown argument $1 of $command: see ./install.sh --help" ;;
  esac
  shift
done

case $command in
  install) install_all ;;
  uninstall) uninstall ;;
  build) build homewardd homeward && say "built: $programs/homewardd and $programs/homeward" ;;
  demo) demo ;;
esac
