#define _GNU_SOURCE
#include "packet_gate.h"

#include <dlfcn.h>
#include <errno.h>
#include <sys/types.h>

// The gate of the library's call that this thread is in.
static __thread struct packet_gate *current;

enum { PUBLISH = 3, PUBREC = 5, PUBREL = 6 };

void packet_gate_reset(struct packet_gate *gate) {
  gate->verdict = PACKET_GATE_OPEN;
  gate->refused_length = 0;
  gate->answers_owed = 0;
  gate->type = gate->length_bytes = 0;
  gate->length = gate->left = 0;
  gate->unreleased_count = 0;
  gate->unreleased_bytes = 0;
}

void packet_gate_enter(struct packet_gate *gate, uint32_t allowance) {
  gate->allowance = allowance;
  current = gate;
}

void packet_gate_leave(void) { current = NULL; }

// A header is complete.
static bool admits(struct packet_gate *gate) {
  if (gate->length > gate->packet_limit) {
    gate->verdict = PACKET_GATE_OVERSIZED;
    gate->refused_length = gate->length;
    return false;
  }
  int kind = gate->type >> 4;
  int qos = gate->type >> 1 & 3;
  if ((kind == PUBLISH && qos > 0) || kind == PUBREC || kind == PUBREL) gate->answers_owed++;
  if (kind == PUBLISH && qos == 2) {
    gate->unreleased_count++;
    gate->unreleased_bytes += gate->length + PACKET_GATE_MESSAGE_COST;
    if (gate->unreleased_bytes > gate->unreleased_limit) {
      gate->verdict = PACKET_GATE_UNRELEASED;
      return false;
    }
  } else if (kind == PUBREL && gate->unreleased_count > 0) {
    // Which one it releases is not looked at: on the average they are right.
    gate->unreleased_bytes -= gate->unreleased_bytes / gate->unreleased_count;
    gate->unreleased_count--;
  }
  return true;
}

bool packet_gate_follow(struct packet_gate *gate, const uint8_t *bytes, size_t count) {
  if (gate->verdict != PACKET_GATE_OPEN) return false;
  for (size_t at = 0; at < count;) {
    if (gate->left > 0) {
      size_t taken = count - at < gate->left ? count - at : gate->left;
      gate->left -= (uint32_t)taken;
      at += taken;
      continue;
    }
    uint8_t byte = bytes[at++];
    if (gate->type == 0) {
      // No packet begins so, and the library would lose its place after it.
      if (byte == 0) {
        gate->verdict = PACKET_GATE_MALFORMED;
        return false;
      }
      gate->type = byte;
      gate->length = gate->length_bytes = 0;
      continue;
    }
    // After four such bytes the library itself ends the connection.
    if (gate->length_bytes < 4) gate->length |= (uint32_t)(byte & 127) << 7 * gate->length_bytes;
    gate->length_bytes++;
    if (byte & 128) continue;
    if (!admits(gate)) return false;
    gate->left = gate->length;
    gate->type = 0;
  }
  return true;
}

static ssize_t refuse(void) {
  errno = EMSGSIZE;
  return -1;
}

// Through the next definition, so that whatever else stands between (an instrument, a sanitizer) stays there.
typedef ssize_t read_function(int, void *, size_t);

ssize_t read(int descriptor, void *buffer, size_t count) {
  static read_function *next;
  read_function *function = __atomic_load_n(&next, __ATOMIC_RELAXED);
  if (function == NULL) {
    function = (read_function *)dlsym(RTLD_NEXT, "read");
    __atomic_store_n(&next, function, __ATOMIC_RELAXED);
  }
  struct packet_gate *gate = current;
  if (gate == NULL || descriptor != gate->descriptor) return function(descriptor, buffer, count);
  if (gate->verdict != PACKET_GATE_OPEN) return refuse();
  if (gate->allowance == 0) {
    errno = EAGAIN;
    return -1;
  }
  ssize_t got = function(descriptor, buffer, count < gate->allowance ? count : gate->allowance);
  if (got <= 0) return got;
  gate->allowance -= (uint32_t)got;
  // Under TLS these are records; what they hold comes through SSL_read.
  if (gate->ssl == NULL && !packet_gate_follow(gate, buffer, (size_t)got)) return refuse();
  return got;
}

typedef int ssl_read_function(void *, void *, int);

int SSL_read(void *ssl, void *buffer, int count) {
  static ssl_read_function *next;
  ssl_read_function *function = __atomic_load_n(&next, __ATOMIC_RELAXED);
  if (function == NULL) {
    function = (ssl_read_function *)dlsym(RTLD_NEXT, "SSL_read");
    __atomic_store_n(&next, function, __ATOMIC_RELAXED);
  }
  if (function == NULL) return -1;
  struct packet_gate *gate = current;
  if (gate == NULL || ssl != gate->ssl) return function(ssl, buffer, count);
  if (gate->verdict != PACKET_GATE_OPEN) return (int)refuse();
  int got = function(ssl, buffer, count);
  if (got > 0 && !packet_gate_follow(gate, buffer, (size_t)got)) return (int)refuse();
  return got;
}
