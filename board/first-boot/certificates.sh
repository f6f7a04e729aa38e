# shellcheck shell=sh disable=SC2154,SC2015 # what first-boot has; a list that ends in a step or in none
# The configuration with the board's certificates, a part of first-boot: ca.pem, board.pem and board.key beside it.
#
# They lie together in a folder of /etc/homeward with a name that is made of what is in them, tls-..., and the
# configuration names them there. So one step puts them into force, the rename of the configuration, and what was before
# it has still all its own. A file that is not on the card is the one that the board has already: a renewed certificate
# may come alone.

kinds='ca.pem board.pem board.key'

key_of() {
  case $1 in
    ca.pem) echo tlsCaFile ;;
    board.pem) echo tlsClientCert ;;
    board.key) echo tlsClientKey ;;
  esac
}

# The name on the card of one of the kinds; empty: it is not there.
name_of() {
  case $1 in
    ca.pem) echo "$ca_name" ;;
    board.pem) echo "$board_name" ;;
    board.key) echo "$key_name" ;;
  esac
}

# value_of KEY SETTINGS: of what `config show --json` has printed.
value_of() { printf '%s\n' "$2" | sed -n "s|.*\"$1\":\"\([^\"]*\)\".*|\1|p"; }

settings_in() { [ ! -f "$1" ] || "$tool" config show --json --file "$1" 2>/dev/null || true; }

# names_none KEY FILE: whether the file says in so many words that there is none.
names_none() { grep -qE "\"$1\"[[:space:]]*:[[:space:]]*(\"\"|null)" "$2"; }

# names_another KIND SETTINGS: whether they name a file that is called otherwise.
names_another() { case $(value_of "$(key_of "$1")" "$2") in '' | "$1" | */"$1") return 1 ;; esac; }

# Takes the certificates off the card, as far as they are there, into the folder $set. False: a mistake was told.
collect_certificates() {
  rm -rf "$set" && mkdir "$set"
  ca_name='' board_name='' key_name=''
  pick '^ca\.pem(\.txt)?$' && ca_name=$found &&
    pick '^board\.pem(\.txt)?$' && board_name=$found &&
    pick '^board\.key(\.txt)?$' && key_name=$found || return 1
  for kind in $kinds; do
    name=$(name_of "$kind")
    [ -z "$name" ] || copy_off "$name" "$set/$kind" || return 1
  done
}

# complete_set CONFIGURATION: adds what the board has already, where the configuration does not say otherwise.
complete_set() {
  wanted=$(settings_in "$1")
  in_force=$(settings_in "$settings")
  for kind in $kinds; do
    key=$(key_of "$kind")
    if [ -f "$set/$kind" ]; then
      names_another "$kind" "$wanted" || continue
      mistake "$(name_of "$kind"): the configuration names another file: take $key out of it, or this file away"
      return 1
    fi
    # Certificate and key are a pair.
    case $kind in ca.pem) pair=ca.pem ;; *) pair='board.pem board.key' ;; esac
    for one in $pair; do
      ! names_another "$one" "$wanted" && ! names_none "$(key_of "$one")" "$1" || continue 2
    done
    had=$(value_of "$key" "$in_force")
    case $had in
      /etc/homeward/*"$kind") ;;
      *) continue ;;
    esac
    [ -f "$store/${had#/etc/}" ] || continue
    if ! cp "$store/${had#/etc/}" "$set/$kind"; then
      mistake "$kind: the one that the board has cannot be read: expected another one on the card"
      return 1
    fi
  done
}

# check_pem KIND NAME
check_pem() {
  case $1 in
    *.key)
      if grep -q ENCRYPTED "$set/$1"; then
        mistake "$2: the key has a password, which a board cannot type: expected one without"
      elif ! openssl pkey -in "$set/$1" -noout -passin pass: 2>/dev/null; then
        mistake "$2: expected a private key as PEM, which begins with -----BEGIN PRIVATE KEY-----"
      else
        return 0
      fi
      ;;
    *)
      if grep -q 'PRIVATE KEY-' "$set/$1"; then
        mistake "$2: a private key is in it: expected certificates only"
      elif ! grep -q 'BEGIN CERTIFICATE-' "$set/$1" ||
        ! counted=$(openssl storeutl -noout -certs "$set/$1" 2>/dev/null) || [ "${counted##*: }" = 0 ]; then
        mistake "$2: expected a certificate as PEM, which begins with -----BEGIN CERTIFICATE-----"
      else
        return 0
      fi
      ;;
  esac
  return 1
}

check_set() {
  if ! command -v openssl >/dev/null; then
    mistake "ca.pem, board.pem, board.key: openssl is not installed, and so they could not be checked"
    return 1
  fi
  sound=yes
  for kind in $kinds; do
    name=$(name_of "$kind")
    [ ! -f "$set/$kind" ] || check_pem "$kind" "${name:-$kind}" || sound=no
  done
  [ "$sound" = yes ] || return 1
  case $(cd "$set" && echo board.*) in
    board.key) mistake "$key_name: there is no certificate for this key: expected a board.pem beside it" && return 1 ;;
    board.pem) mistake "$board_name: there is no key for this certificate: expected a board.key beside it" && return 1 ;;
    'board.key board.pem') ;;
    *) return 0 ;;
  esac
  openssl x509 -in "$set/board.pem" -noout -pubkey >"$run/public" 2>/dev/null
  openssl pkey -in "$set/board.key" -passin pass: -pubout 2>/dev/null | cmp -s - "$run/public" && return 0
  mistake "${key_name:-$board_name}: board.key does not match board.pem: expected the key that the certificate was made for"
  return 1
}

# set_certificates CONFIGURATION: lets it name them in the folder that they will have, $folder.
set_certificates() {
  folder=tls-$(cd "$set" && sha256sum -- * | sha256sum | cut -c 1-12)
  words=
  for kind in $kinds; do
    [ ! -f "$set/$kind" ] || words="$words $(key_of "$kind") /etc/homeward/$folder/$kind"
  done
  # shellcheck disable=SC2086 # several words
  "$tool" config set $words --file "$1" >"$run/said" 2>&1 && return 0
  mistake "the certificates cannot be named in the configuration: $(cat "$run/said")"
  return 1
}

# Nothing names the folder yet: that a cut leaves half of it does no harm.
place_certificates() {
  place_at=$store/homeward/$folder
  mkdir -p "$place_at" && chmod 0700 "$place_at" && { [ -n "$root" ] || chown homeward:homeward "$place_at"; } || return
  for file in "$set"/*; do
    there=$place_at/${file##*/}
    ! cmp -s "$file" "$there" || continue
    put "$file" "$there" homeward:homeward || return
  done
  sync_to "$store/homeward"
}

# Folders that the configuration in force does not name: what was before, or half a step.
forget_certificates() {
  for old in "$store"/homeward/tls-*; do
    [ -d "$old" ] && ! grep -qF "/${old##*/}/" "$settings" || continue
    # On the disk before the card says nothing more of it.
    rm -f -- "$old"/* && sync_to "$old" && rmdir -- "$old" && sync_to "$store/homeward" || true
  done
}

# The configuration with the certificates beside it: all of them, or none. A mistake in one holds up the others.
take_tracker() {
  settings=$store/homeward/homeward.otrc
  printf '%s\n' "$on_card" | grep -viE -- '-taken\.' | grep -qiE '\.otrc(\.txt)?$|^(ca|board)\.(pem|key)(\.txt)?$' ||
    return 0
  if pick '\.otrc(\.txt)?$' && otrc=$found && collect_certificates; then agree_tracker; fi
  rm -rf "$set" "$run/taken" "$settings.new"
}

agree_tracker() {
  first=${otrc:-${ca_name:-${board_name:-$key_name}}}
  [ -n "$first" ] || return 0
  if [ -n "$otrc" ]; then
    copy_off "$otrc" "$run/taken" || return 0
  elif ! cp "$settings" "$run/taken" 2>/dev/null; then
    mistake "$first: there is no configuration, neither beside it nor on the board: expected a homeward.otrc"
    return 0
  fi
  complete_set "$run/taken" || return 0
  named=$(for kind in $kinds; do [ ! -f "$set/$kind" ] || key_of "$kind"; done | paste -sd '|')
  check_tracker "$run/taken" "${otrc:-homeward.otrc of the board}" || return 0
  kept=yes
  if [ -n "$named" ]; then
    check_set && set_certificates "$run/taken" || return 0
    place_certificates || kept=no
  fi
  [ "$kept" = no ] || put "$run/taken" "$settings" homeward:homeward || kept=no
  [ "$kept" = no ] || forget_certificates
  # In this order: certificates that a cut leaves on the card are taken again; a configuration that is left without
  # them could say that there are none.
  settle "$otrc" "$key_name" "$board_name" "$ca_name"
}
