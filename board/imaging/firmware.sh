# The firmware partition: what the board's boot loader reads. Filled here and not by the package's own hook,
# which looks at the machine that it runs on.

# compile_overlays DIR: those of the board and of every hat.
compile_overlays() {
  local source
  for source in "$here"/board/hats/*/*.dts; do
    dtc -q -@ -I dts -O dtb -o "$1/$(basename "$source" .dts).dtbo" "$source"
  done
}

make_firmware() {
  local tree=$1
  mkdir -p "$tree/overlays"
  cp "$work/boot/vmlinuz" "$tree/vmlinuz"
  cp "$initrd" "$tree/initrd.img"
  cp "$work"/trees/*.dtb "$tree/"
  # The plain ones, and those for the smallest share of memory for graphics.
  for file in bootcode.bin start.elf start4.elf start_cd.elf start4cd.elf fixup.dat fixup4.dat fixup_cd.dat \
    fixup4cd.dat; do
    cp "$work/raspi-firmware/$file" "$tree/"
  done
  cp "$root/usr/share/doc/raspi-firmware/copyright" "$tree/LICENCE.txt"
  compile_overlays "$tree/overlays"
  mkdir "$tree/hats"
  for file in "$here"/board/hats/*/config.txt; do
    cp "$file" "$tree/hats/$(basename "${file%/*}").txt"
  done
  cat "$here/board/raspberrypi/config.txt" >"$tree/config.txt"
  paste -sd' ' "$here/board/raspberrypi/cmdline.txt" >"$tree/cmdline.txt"
  cp "$here/board/raspberrypi/READ-ME.txt" "$tree/READ-ME.txt"
  find "$tree" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
}
