# Read by what builds in a system of its own: a git that was told to have packages from folders of this machine finds them
# there inside, too.
# shellcheck shell=sh

# package_folders: prints them, one a line.
package_folders() {
  git config --get-regexp '^url\..*\.insteadof$' | while read -r key _; do
    folder=${key#url.}
    folder=${folder%.insteadof}
    [ ! -d "$folder" ] || echo "$folder"
  done | sort -u
}

# take_packages ROOT: the git inside is told the same.
take_packages() {
  : >"$1/etc/gitconfig"
  git config --get-regexp '^url\..*\.insteadof$' | while read -r key value; do
    git config --file "$1/etc/gitconfig" --add "${key%insteadof}insteadOf" "$value"
  done
}
