#define _GNU_SOURCE
#include "packet_gate.h"

#include <dlfcn.h>
#include <errno.h>
#include <netdb.h>
#include <string.h>
#include <sys/types.h>

// The gate of the library's call that this thread is in.
static __thread struct packet_gate *current;

// Whether the library would wake nobody: see packet_gate_hush.
static __thread bool is_hushed;

// See packet_gate_written.
static __thread uint32_t written;

// See packet_gate_name.
static __thread const char *named_host, *named_address;

enum {
  CONNACK = 2, PUBLISH = 3, PUBACK = 4, PUBREC = 5, PUBREL = 6, PUBCOMP = 7, SUBACK = 9, UNSUBACK = 11,
  DISCONNECT = 14, AUTH = 15,
};

// Where in a packet's body the next byte lies.
enum stage {
  // Nothing more is looked at.
  REST = 0,
  // Before the properties: the length of the topic, or so many bytes of no interest.
  TOPIC_HIGH, TOPIC_LOW, BEFORE,
  // The length of all properties.
  TOTAL,
  // A property: its name, then its value.
  NAME, TEXT_HIGH, TEXT_LOW, VALUE, NUMBER,
};

void packet_gate_reset(struct packet_gate *gate) {
  gate->verdict = PACKET_GATE_OPEN;
  gate->refused_length = 0;
  gate->answers_owed = 0;
  gate->type = gate->length_bytes = 0;
  gate->length = gate->left = 0;
  gate->stage = REST;
  gate->unreleased_count = 0;
  gate->unreleased_bytes = 0;
  gate->ahead_from = gate->ahead_count = 0;
}

void packet_gate_enter(struct packet_gate *gate, uint32_t allowance) {
  gate->allowance = allowance;
  current = gate;
}

void packet_gate_leave(void) { current = NULL; }

void packet_gate_hush(bool on) { is_hushed = on; }

uint32_t packet_gate_written(void) { return written; }

void packet_gate_name(const char *host, const char *address) {
  named_host = host;
  named_address = address;
}

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

// The part of a body before its properties.
static void begin_body(struct packet_gate *gate, uint8_t type) {
  gate->stage = REST;
  gate->number = gate->number_bytes = 0;
  gate->properties = 0;
  gate->is_held = type >> 4 == PUBLISH && (type >> 1 & 3) == 2;
  if (!gate->has_properties) return;
  gate->stage = BEFORE;
  switch (type >> 4) {
    case CONNACK: case SUBACK: case UNSUBACK: gate->skipped = 2; break;
    case PUBACK: case PUBREC: case PUBREL: case PUBCOMP: gate->skipped = 3; break;
    case DISCONNECT: case AUTH: gate->skipped = 1; break;
    case PUBLISH:
      gate->stage = TOPIC_HIGH;
      gate->skipped = (type & 6) != 0 ? 2 : 0;
      break;
    default: gate->stage = REST;
  }
}

// Bytes of a property's value (MQTT 5, 2.2.2.2); TEXT: the first two say how many; ANY: a number says so itself.
enum { UNKNOWN = 0, TEXT = 100, ANY = 101 };

static int size_of(uint8_t property) {
  switch (property) {
    case 0x01: case 0x17: case 0x19: case 0x24: case 0x25: case 0x28: case 0x29: case 0x2A: return 1;
    case 0x13: case 0x21: case 0x22: case 0x23: return 2;
    case 0x02: case 0x11: case 0x18: case 0x27: return 4;
    case 0x03: case 0x08: case 0x09: case 0x12: case 0x15: case 0x16: case 0x1A: case 0x1C: case 0x1F: case 0x26:
      return TEXT;
    case 0x0B: return ANY;
    default: return UNKNOWN;
  }
}

static void next_property(struct packet_gate *gate) {
  gate->stage = gate->properties_left > 0 ? NAME : REST;
  gate->is_second_text = false;
}

// The value, or one text of a pair, is over.
static void end_value(struct packet_gate *gate) {
  if (gate->property == 0x26 && !gate->is_second_text && gate->properties_left > 0) {
    gate->is_second_text = true;
    gate->stage = TEXT_HIGH;
  } else {
    next_property(gate);
  }
}

// True: the number is complete.
static bool add_to_number(struct packet_gate *gate, uint8_t byte) {
  if (gate->number_bytes < 4) gate->number |= (uint32_t)(byte & 127) << 7 * gate->number_bytes;
  gate->number_bytes++;
  return (byte & 128) == 0;
}

static bool name_follows(struct packet_gate *gate, uint8_t byte) {
  int size = size_of(byte);
  if (size == UNKNOWN) {
    gate->verdict = PACKET_GATE_MALFORMED;
    return false;
  }
  if (++gate->properties > PACKET_GATE_PROPERTIES) {
    gate->verdict = PACKET_GATE_CROWDED;
    return false;
  }
  if (gate->is_held) {
    gate->unreleased_bytes += PACKET_GATE_PROPERTY_COST;
    if (gate->unreleased_bytes > gate->unreleased_limit) {
      gate->verdict = PACKET_GATE_UNRELEASED;
      return false;
    }
  }
  gate->property = byte;
  gate->number = gate->number_bytes = 0;
  gate->skipped = (uint32_t)size;
  gate->stage = size == TEXT ? TEXT_HIGH : size == ANY ? NUMBER : VALUE;
  return true;
}

// One byte of a body whose properties are not over. False: the gate closes.
static bool follow_body(struct packet_gate *gate, uint8_t byte) {
  if (gate->stage > TOTAL && gate->properties_left-- == 0) {
    // The value is longer than the properties are said to be: the library sees that itself.
    gate->stage = REST;
    return true;
  }
  switch (gate->stage) {
    case TOPIC_HIGH: gate->skipped += (uint32_t)byte << 8; gate->stage = TOPIC_LOW; break;
    case TOPIC_LOW:
      gate->skipped += byte;
      gate->stage = gate->skipped > 0 ? BEFORE : TOTAL;
      break;
    case BEFORE: if (--gate->skipped == 0) gate->stage = TOTAL; break;
    case TOTAL:
      if (!add_to_number(gate, byte)) break;
      gate->properties_left = gate->number;
      next_property(gate);
      break;
    case NAME: return name_follows(gate, byte);
    case TEXT_HIGH: gate->skipped = (uint32_t)byte << 8; gate->stage = TEXT_LOW; break;
    case TEXT_LOW:
      gate->skipped += byte;
      if (gate->skipped > 0) gate->stage = VALUE; else end_value(gate);
      break;
    case VALUE: if (--gate->skipped == 0) end_value(gate); break;
    case NUMBER: if (add_to_number(gate, byte)) end_value(gate); break;
  }
  return true;
}

bool packet_gate_follow(struct packet_gate *gate, const uint8_t *bytes, size_t count) {
  if (gate->verdict != PACKET_GATE_OPEN) return false;
  for (size_t at = 0; at < count;) {
    if (gate->left > 0 && gate->stage != REST) {
      gate->left--;
      if (!follow_body(gate, bytes[at++])) return false;
      continue;
    }
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
    begin_body(gate, gate->type);
    gate->type = 0;
  }
  return true;
}

static ssize_t refuse(void) {
  errno = EMSGSIZE;
  return -1;
}

static size_t least(size_t one, size_t other) { return one < other ? one : other; }

// From what was read ahead, as the library asked for it.
static ssize_t serve(struct packet_gate *gate, void *buffer, size_t count) {
  size_t served = least(count, gate->ahead_count);
  memcpy(buffer, gate->ahead + gate->ahead_from, served);
  gate->ahead_from += served;
  gate->ahead_count -= served;
  return packet_gate_follow(gate, buffer, served) ? (ssize_t)served : refuse();
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
  if (gate->ahead_count > 0) return serve(gate, buffer, count);
  if (gate->allowance == 0) {
    errno = EAGAIN;
    return -1;
  }
  // Under TLS these are records; what they hold comes through SSL_read.
  bool is_ahead = gate->ssl == NULL && count < sizeof gate->ahead;
  size_t most = least(is_ahead ? sizeof gate->ahead : count, gate->allowance);
  ssize_t got = function(descriptor, is_ahead ? gate->ahead : buffer, most);
  if (got <= 0) return got;
  gate->allowance -= (uint32_t)got;
  if (is_ahead) {
    gate->ahead_from = 0;
    gate->ahead_count = (uint8_t)got;
    return serve(gate, buffer, count);
  }
  if (gate->ssl == NULL && !packet_gate_follow(gate, buffer, (size_t)got)) return refuse();
  return got;
}

typedef ssize_t write_function(int, const void *, size_t);

static write_function *next_write;

// Before anything else runs: what ends a broken program writes from inside a signal.
__attribute__((constructor)) static void find_write(void) {
  next_write = (write_function *)dlsym(RTLD_NEXT, "write");
}

ssize_t write(int descriptor, const void *buffer, size_t count) {
  if (is_hushed || current != NULL) {
    if (count == 1 && *(const char *)buffer == 0) return 1;
    written++;
  }
  if (next_write == NULL) find_write();
  return next_write(descriptor, buffer, count);
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

typedef int lookup_function(const char *, const char *, const struct addrinfo *, struct addrinfo **);

int getaddrinfo(const char *host, const char *service, const struct addrinfo *hints, struct addrinfo **found) {
  static lookup_function *next;
  lookup_function *function = __atomic_load_n(&next, __ATOMIC_RELAXED);
  if (function == NULL) {
    function = (lookup_function *)dlsym(RTLD_NEXT, "getaddrinfo");
    __atomic_store_n(&next, function, __ATOMIC_RELAXED);
  }
  bool is_named = host != NULL && named_host != NULL && strcmp(host, named_host) == 0;
  return function(is_named ? named_address : host, service, hints, found);
}
