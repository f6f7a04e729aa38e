// The part of libsodium that Homeward needs, which is loaded when it is first asked for: a tracker that encrypts
// nothing and has no page neither needs the library nor holds it in memory. The prototypes are this file's own.
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum {
  /// Bytes of a key.
  csodium_key = 32,
  /// Bytes of what makes each message's encryption another.
  csodium_nonce = 24,
  /// Bytes by which a forgery is known.
  csodium_mac = 16,
  /// Bytes of a SHA-256.
  csodium_digest = 32,
  /// Bytes of an HMAC with SHA-512.
  csodium_long_mac = 64,
};

/// Loads the library, once. NULL: it is there; else the loader's own words, which stay valid until the next
/// call.
const char *csodium_load(void);

// Only after csodium_load said NULL.

void csodium_random(unsigned char *bytes, size_t count);

/// Bytes of text that csodium_seal needs for `count` plain bytes, with the NUL at its end.
size_t csodium_room(size_t count);

/// base64(nonce || MAC || ciphertext), the standard alphabet with padding and without line breaks, and a NUL.
/// False: there is no memory.
bool csodium_seal(
    char *text, size_t room, const unsigned char *plain, size_t count, const unsigned char *nonce,
    const unsigned char *key);

enum csodium_opened { csodium_good, csodium_no_base64, csodium_too_short, csodium_forged };

/// The reverse. `plain` has room for `count` bytes, which is more than the text can hold; `found` says how
/// many there are.
enum csodium_opened csodium_open(
    unsigned char *plain, size_t *found, const char *text, size_t count, const unsigned char *key);

/// `digest` has room for csodium_digest bytes.
void csodium_sha256(unsigned char *digest, const unsigned char *bytes, size_t count);

/// `mac` has room for csodium_long_mac bytes. False: there is no memory.
bool csodium_hmac_sha512(
    unsigned char *mac, const unsigned char *bytes, size_t count, const unsigned char *key, size_t key_count);

/// In a time that does not tell where they differ.
bool csodium_same(const unsigned char *one, const unsigned char *other, size_t count);
