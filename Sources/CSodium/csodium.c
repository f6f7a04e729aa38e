#include "csodium.h"

#include <dlfcn.h>
#include <stdlib.h>

// The number stands for the library's binary interface: Debian 12 and 13 have this one.
static const char *const name = "libsodium.so.23";
// The alphabet of RFC 4648 with padding, as the library numbers them.
static const int standard_base64 = 1;

static struct {
  int (*start)(void);
  void (*random)(void *, size_t);
  int (*seal)(
      unsigned char *, const unsigned char *, unsigned long long, const unsigned char *,
      const unsigned char *);
  int (*open)(
      unsigned char *, const unsigned char *, unsigned long long, const unsigned char *,
      const unsigned char *);
  size_t (*text_room)(size_t, int);
  char *(*to_text)(char *, size_t, const unsigned char *, size_t, int);
  int (*from_text)(
      unsigned char *, size_t, const char *, size_t, const char *, size_t *, const char **, int);
  int (*sha256)(unsigned char *, const unsigned char *, unsigned long long);
  size_t (*mac_state)(void);
  int (*mac_begin)(void *, const unsigned char *, size_t);
  int (*mac_add)(void *, const unsigned char *, unsigned long long);
  int (*mac_end)(void *, unsigned char *);
  int (*compare)(const void *, const void *, size_t);
  bool is_ready;
} sodium;

const char *csodium_load(void) {
  if (sodium.is_ready) return NULL;
  void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return dlerror();
  const struct {
    const char *name;
    void *place;
  } wanted[] = {
      {"sodium_init", &sodium.start},
      {"randombytes_buf", &sodium.random},
      {"crypto_secretbox_easy", &sodium.seal},
      {"crypto_secretbox_open_easy", &sodium.open},
      {"sodium_base64_encoded_len", &sodium.text_room},
      {"sodium_bin2base64", &sodium.to_text},
      {"sodium_base642bin", &sodium.from_text},
      {"crypto_hash_sha256", &sodium.sha256},
      {"crypto_auth_hmacsha512_statebytes", &sodium.mac_state},
      {"crypto_auth_hmacsha512_init", &sodium.mac_begin},
      {"crypto_auth_hmacsha512_update", &sodium.mac_add},
      {"crypto_auth_hmacsha512_final", &sodium.mac_end},
      {"sodium_memcmp", &sodium.compare},
  };
  for (size_t index = 0; index < sizeof wanted / sizeof *wanted; index++) {
    void *found = dlsym(library, wanted[index].name);
    if (found == NULL) return dlerror();
    *(void **)wanted[index].place = found;
  }
  if (sodium.start() < 0) return "libsodium.so.23: it finds no source of random numbers";
  sodium.is_ready = true;
  return NULL;
}

void csodium_random(unsigned char *bytes, size_t count) { sodium.random(bytes, count); }

size_t csodium_room(size_t count) {
  return sodium.text_room(csodium_nonce + csodium_mac + count, standard_base64);
}

bool csodium_seal(
    char *text, size_t room, const unsigned char *plain, size_t count, const unsigned char *nonce,
    const unsigned char *key) {
  size_t whole = csodium_nonce + csodium_mac + count;
  unsigned char *box = malloc(whole);
  if (box == NULL) return false;
  for (size_t index = 0; index < csodium_nonce; index++) box[index] = nonce[index];
  bool is_sealed = sodium.seal(box + csodium_nonce, plain, count, nonce, key) == 0;
  if (is_sealed) sodium.to_text(text, room, box, whole, standard_base64);
  free(box);
  return is_sealed;
}

enum csodium_opened csodium_open(
    unsigned char *plain, size_t *found, const char *text, size_t count, const unsigned char *key) {
  size_t whole = 0;
  // Some senders break their lines; the library stops at the first other character.
  const char *end = NULL;
  if (sodium.from_text(plain, count, text, count, "\r\n", &whole, &end, standard_base64) != 0 ||
      end != text + count) {
    return csodium_no_base64;
  }
  if (whole < csodium_nonce + csodium_mac) return csodium_too_short;
  *found = whole - csodium_nonce - csodium_mac;
  // The library wants no overlap but of its own kind: what is opened gets a place of its own.
  unsigned char *box = malloc(whole);
  if (box == NULL) return csodium_forged;
  for (size_t index = 0; index < whole; index++) box[index] = plain[index];
  int failure = sodium.open(plain, box + csodium_nonce, whole - csodium_nonce, box, key);
  free(box);
  return failure == 0 ? csodium_good : csodium_forged;
}

void csodium_sha256(unsigned char *digest, const unsigned char *bytes, size_t count) {
  sodium.sha256(digest, bytes, count);
}

bool csodium_hmac_sha512(
    unsigned char *mac, const unsigned char *bytes, size_t count, const unsigned char *key, size_t key_count) {
  void *state = aligned_alloc(64, (sodium.mac_state() + 63) / 64 * 64);
  if (state == NULL) return false;
  sodium.mac_begin(state, key, key_count);
  sodium.mac_add(state, bytes, count);
  sodium.mac_end(state, mac);
  free(state);
  return true;
}

bool csodium_same(const unsigned char *one, const unsigned char *other, size_t count) {
  return sodium.compare(one, other, count) == 0;
}
