# Partitions and file systems, by nothing but writing to files.

# In MiB. The root has room for updates; the data partition fills the card at the first boot.
first=4 firmware_size=128 root_size=736 data_size=32

# uuid NAME: the same at every build of the same version.
uuid() {
  printf '%s' "homeward $version $1" | sha256sum |
    sed -E 's/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*/\1-\2-4\3-8\4-\5/'
}

# ext4 FILE MIB LABEL DIR: made by the image's own mke2fs, which is the same wherever the image is built. All in
# $work, which it sees as /mnt.
ext4() {
  truncate -s "$2M" "$1"
  in_root mke2fs -q -F -t ext4 -L "$3" -U "$(uuid "$3")" -E "hash_seed=$(uuid "$3")" -m 1 \
    -d "/mnt${4#"$work"}" "/mnt${1#"$work"}"
}

# A table of the old kind (MBR): a Pi 3 and a Zero 2 W read no other.
partition() {
  rm -f "$1"
  truncate -s "$((first + firmware_size + root_size + data_size))M" "$1"
  sfdisk --quiet "$1" <<END
label: dos
label-id: 0x$(uuid disk | cut -c1-8)
start=${first}MiB, size=${firmware_size}MiB, type=c, bootable
size=${root_size}MiB, type=83
size=${data_size}MiB, type=83
END
}

place() { dd if="$1" of="$image" bs=1M seek="$2" conv=notrunc,sparse status=none; }

make_disk() {
  truncate -s "${firmware_size}M" "$work/fat"
  mkfs.vfat -F 32 -n HOMEWARD -i "$(uuid fat | cut -c1-8)" --invariant "$work/fat" >/dev/null
  (cd "$work/firmware" && TZ=UTC MTOOLS_SKIP_CHECK=1 mcopy -i "$work/fat" -s -m -- * ::)

  # Owners by the numbers that they have in the image.
  local ours
  ours=$(sed -n 's/^homeward:[^:]*:\([0-9]*\):\([0-9]*\):.*/\1:\2/p' "$root/etc/passwd")
  mkdir -p "$work"/data/homeward "$work"/data/homeward-update "$work"/data/homeward-web "$work"/data/etc/{homeward,board,ssh}
  chown "$ours" "$work/data/homeward"
  chown "0:${ours#*:}" "$work/data/etc/homeward"
  chmod 0750 "$work/data/homeward" "$work/data/etc/homeward"
  chmod 0700 "$work/data/homeward-update" "$work/data/homeward-web" "$work/data/etc/board" "$work/data/etc/ssh"

  find "$root" "$work/data" -newermt "@$SOURCE_DATE_EPOCH" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
  mount --bind "$work" "$root/mnt"
  ext4 "$work/ext-root" $root_size homeward-root "$root"
  ext4 "$work/ext-data" $data_size homeward-data "$work/data"
  umount "$root/mnt" "$root/proc"

  partition "$image"
  place "$work/fat" $first
  place "$work/ext-root" $((first + firmware_size))
  place "$work/ext-data" $((first + firmware_size + root_size))
}
