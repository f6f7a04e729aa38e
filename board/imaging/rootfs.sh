# The root file system: Debian's packages (slow, kept), then our files and the homeward package on top.

# The Debian archive that apt on this machine uses: "main" or "security".
mirror() {
  local uri release
  while read -r uri release; do
    case $1:$release in
      security:*-security) echo "$uri" && return ;;
      *-security | *-updates | *-backports) ;;
      main:*) echo "$uri" && return ;;
    esac
  done < <(apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 'Created-By: Packages' 'Origin: Debian')
  return 1
}

archive_lines() {
  local signed='[signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]'
  echo "deb $signed $1 $suite main non-free-firmware"
  echo "deb $signed $1 $suite-updates main non-free-firmware"
  [ -z "$2" ] || echo "deb $signed $2 $suite-security main non-free-firmware"
}

# Makes programs for arm64 run here, as long as our own mount namespace lives.
run_arm64() {
  local binfmt=/proc/sys/fs/binfmt_misc
  [ "$(dpkg --print-architecture)" != arm64 ] || return 0
  [ -e $binfmt/register ] || mount -t binfmt_misc binfmt_misc $binfmt
  [ -e $binfmt/qemu-aarch64 ] || cat /usr/lib/binfmt.d/qemu-aarch64.conf >$binfmt/register ||
    die "arm64 programs do not run here: install qemu-user-static"
}

# Debian's packages, as one archive file that later builds start from.
make_packages_archive() {
  local include main security options=() line
  main=$(mirror main) || die "apt knows no Debian mirror: see /etc/apt/sources.list"
  security=$(mirror security) || security=
  include=$(sed 's/ *#.*//; /^$/d' "$parts/packages" | paste -sd,)
  while read -r line; do options+=("--dpkgopt=$line"); done < <(grep -v '^#' "$parts/paths")
  # INITRD=No: one initramfs at the end. Emulated, each takes two minutes.
  archive_lines "$main" "$security" | INITRD=No mmdebstrap --mode=root --architectures=arm64 \
    --variant=minbase --skip=check/qemu --aptopt='APT::Install-Recommends "false"' \
    --aptopt='Acquire::Languages "none"' --dpkgopt=force-confold "${options[@]}" \
    --setup-hook='mkdir -p "$1/boot/firmware" "$1/etc/default"' \
    --setup-hook="copy-in '$parts/rootfs/etc/default/raspi-firmware' /etc/default" \
    --include="$include" "$suite" "$1.new.tar" - >&2 || die "mmdebstrap failed: see the lines above"
  mv "$1.new.tar" "$1"
}

# in_root COMMAND...: runs it in the root file system, by emulation where it has to be.
in_root() {
  mountpoint -q "$root/proc" || mount -t proc proc "$root/proc"
  chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
    SOURCE_DATE_EPOCH="$SOURCE_DATE_EPOCH" DEBIAN_FRONTEND=noninteractive "$@" >&2
}

unpack_root() {
  mkdir "$root"
  tar -xf "$1" -C "$root" --numeric-owner
}

install_ours() {
  local unit
  cp "$package" "$root/tmp/homeward.deb"
  in_root dpkg --force-confold --path-include='/usr/share/man/man?/homeward*' -i /tmp/homeward.deb
  rm "$root/tmp/homeward.deb"

  # Directories keep the mode that Debian gave them.
  (cd "$parts/rootfs" && find . -type f -printf '%P\n') | while read -r file; do
    install -D -m "$(stat -c %a "$parts/rootfs/$file" | sed 's/^6../644/; s/^7../755/')" \
      "$parts/rootfs/$file" "$root/$file"
  done
  install -d "$root/usr/lib/homeward" "$root/data" "$root/boot/firmware" "$root/var/lib/homeward-update"
  # Systemd wants the folder of a service with a user of its own behind one that only root enters.
  install -d -m 0700 "$root/var/lib/private" "$root/var/lib/private/homeward-web"
  # Which it makes at the service's first start, and here after every boot: until then no phone would seem known.
  ln -s private/homeward-web "$root/var/lib/homeward-web"
  install -m 0755 "$here/board/first-boot/first-boot" "$root/usr/lib/homeward/first-boot"
  install -m 0644 -t "$root/usr/lib/homeward" "$here"/board/first-boot/preseed.awk \
    "$here"/board/first-boot/certificates.sh
  install -m 0755 "$here/board/homeward-leds" "$root/usr/lib/homeward/homeward-leds"
  install -m 0755 "$here/board/homeward-power" "$root/usr/lib/homeward/homeward-power"
  install -D -m 0644 -t "$root/usr/lib/homeward/profiles" "$here"/board/profiles/*

  archive_lines "$(mirror main)" "$(mirror security || true)" >"$root/etc/apt/sources.list"
  echo homeward >"$root/etc/hostname"
  printf '127.0.0.1 localhost\n127.0.1.1 homeward\n::1 localhost\n' >"$root/etc/hosts"
  # Receivers are read before anybody asks: the first fix comes sooner.
  sed -i 's/^GPSD_OPTIONS=.*/GPSD_OPTIONS="-n"/' "$root/etc/default/gpsd"
  # Empty, not absent: absent is a first boot, at which systemd would set up everything anew.
  : >"$root/etc/machine-id"
  in_root systemctl -q enable homeward-first-boot.service homeward-leds.service homeward-power.service \
    bluetooth.service homeward-web.socket
  for unit in apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer e2scrub_all.timer \
    e2scrub_reap.service getty@tty1.service sshd-keygen.service systemd-firstboot.service \
    NetworkManager-wait-online.service systemd-pcrlock-make-policy.service; do
    in_root systemctl -q mask "$unit"
  done
}

# Emulated it takes two minutes: kept for as long as nothing that goes into it changes.
make_initramfs() {
  local key
  key=$({ stat -c '%s %Y' "$1" && cd "$parts/rootfs/etc/initramfs-tools" && find . -type f -print0 |
    LC_ALL=C sort -z | xargs -0 sha256sum; } | sha256sum | cut -c1-12)
  if [ ! -e "$cache/initrd-$key" ]; then
    SOURCE_DATE_EPOCH=1 in_root update-initramfs -c -k all
    ls "$root"/boot/initrd.img-* >/dev/null || die "there is no initramfs: see the lines above"
    cp "$root"/boot/initrd.img-* "$cache/initrd-$key.new"
    mv "$cache/initrd-$key.new" "$cache/initrd-$key"
  fi
  initrd=$cache/initrd-$key
}

# What differs from build to build, what a board never reads, and what belongs to nobody.
clean_root() {
  mkdir "$work/boot"
  mv "$root"/boot/vmlinuz-* "$work/boot/vmlinuz"
  rm -rf "${root:?}"/boot/* "$root"/var/lib/apt/lists/* "$root"/var/cache/apt/* "$root"/var/cache/debconf/* \
    "$root"/tmp/* "$root"/run/* "$root"/var/cache/ldconfig/* "$root"/etc/ssh/ssh_host_* \
    "$root"/var/lib/systemd/random-seed "$root"/var/lib/dbus/machine-id "$root"/var/lib/dpkg/*-old \
    "$root"/var/lib/dpkg/lock* "$root"/etc/.pwd.lock "$root"/etc/.resolv.conf.* "$root"/etc/*-
  mkdir "$root/boot/firmware"
  find "$root/var/log" -type f -delete
  find "$root/usr/lib" -depth -type d -name __pycache__ -exec rm -rf {} +
  # The kernel's descriptions of boards that are none of ours.
  mkdir "$work/trees"
  cp "$root"/usr/lib/linux-image-*/broadcom/bcm2[78]*.dtb "$work/trees/"
  # Tests look at the overlays on these.
  mkdir -p "$cache/trees" && cp "$work"/trees/*.dtb "$cache/trees/"
  rm -rf "$root"/usr/lib/linux-image-*/*
  # Nothing has to be set up again for a newer /usr: memory would forget that it was, at every boot.
  touch "$root/etc/.updated" "$root/var/.updated"
  # What is on the firmware partition, what a database was made of, and where no journal is to be kept.
  mv "$root/usr/lib/raspi-firmware" "$work/raspi-firmware"
  rm -rf "$root"/usr/lib/udev/hwdb.d/* "$root/var/log/journal" "$root/etc/resolv.conf"
  umount "$root/proc"
}
