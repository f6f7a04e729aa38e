// A look at what a broker sends before libmosquitto takes it into memory.
//
// The library allocates whatever length a packet's header names, up to 256 MB, and reads as long as there is
// something to read; with MQTT 3.1.1 there is no word for "not more than that". So this program stands between:
// it defines `read` and `SSL_read`, the two functions through which the library reads, and follows the packets'
// headers there. Everything else that reads in this process, and every other descriptor, passes unchanged. `write` is
// defined for `packet_gate_hush` alone, `getaddrinfo` for `packet_gate_name`. The session of the last connection is
// another matter: tls_session.h.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Why nothing more is read.
enum packet_gate_verdict {
  PACKET_GATE_OPEN = 0,
  /// A packet is longer than `packet_limit`.
  PACKET_GATE_OVERSIZED = 1,
  /// More than `unreleased_limit` bytes of QoS 2 messages wait for the broker to release them.
  PACKET_GATE_UNRELEASED = 2,
  /// A packet without a type, or a property that MQTT 5 does not have.
  PACKET_GATE_MALFORMED = 3,
  /// A packet with more than `PACKET_GATE_PROPERTIES` properties.
  PACKET_GATE_CROWDED = 4,
};

/// The library reads a packet's first bytes one by one, and most packets are an acknowledgement of four or five: where
/// it asks for less than this, the kernel is asked for so many at once.
enum { PACKET_GATE_AHEAD = 64 };

struct packet_gate {
  // Set by the owner.
  /// The socket, and its `SSL *`; NULL: no TLS.
  int descriptor;
  void *ssl;
  /// Whether packets have properties (MQTT 5), of which only those go through that it defines.
  bool has_properties;
  /// Bytes after the fixed header.
  uint32_t packet_limit;
  /// Bytes, and each such message counts as at least `message_cost`.
  uint32_t unreleased_limit;

  // Read by the owner.
  enum packet_gate_verdict verdict;
  /// The length that the refused packet's header named, bytes.
  uint32_t refused_length;
  /// Packets since the owner last set it to 0 that the library answers with one of its own.
  uint32_t answers_owed;
  /// Bytes that were read ahead and that the library has not asked for: the socket will not tell of them.
  uint8_t ahead_count;

  // The gate's own.
  uint32_t allowance;
  uint8_t type;
  uint8_t length_bytes;
  uint32_t length;
  uint32_t left;
  /// Where in the properties of a packet, see packet_gate.c.
  uint8_t stage;
  uint8_t property;
  bool is_second_text;
  uint8_t number_bytes;
  uint32_t number;
  uint32_t skipped;
  uint32_t properties_left;
  uint32_t properties;
  bool is_held;
  uint8_t ahead_from;
  uint8_t ahead[PACKET_GATE_AHEAD];
  uint32_t unreleased_count;
  uint64_t unreleased_bytes;
};

/// Memory that the library uses for a message beside its payload, bytes.
enum { PACKET_GATE_MESSAGE_COST = 256 };

/// The same for each property: a structure and two texts, be they empty.
enum { PACKET_GATE_PROPERTY_COST = 128 };

/// Of one packet; nothing that speaks to a tracker has more than a dozen.
enum { PACKET_GATE_PROPERTIES = 256 };

/// Another connection: forgets where in which packet the last one was.
void packet_gate_reset(struct packet_gate *gate);

/// Until `packet_gate_leave` the calling thread reads at most `allowance` bytes from the gate's socket; then it
/// is told that there is nothing more (EAGAIN).
void packet_gate_enter(struct packet_gate *gate, uint32_t allowance);
void packet_gate_leave(void);

/// With every packet that it sends the library writes a byte, a zero, to a socket pair of its own, to wake a thread that
/// it has in other programs. Nothing reads it here: the kernel would keep 208 kB of such bytes for as long as the library's
/// object lives. While this is on, and between `packet_gate_enter` and `packet_gate_leave`, the calling thread writes no
/// single zero anywhere, and is told that it did. No packet is one byte long. Seen with 2.0.11 and 2.0.21.
void packet_gate_hush(bool on);

/// Writes of the calling thread that went through while it was hushed.
uint32_t packet_gate_written(void);

/// The library connects to the first address of a name that does not refuse at once, and checks certificates against
/// the name. Until this is called with NULLs, the calling thread finds nothing but `address` under the name `host`. Both
/// texts have to last so long.
void packet_gate_name(const char *host, const char *address);

/// The bytes as the library would be given them: false where the gate closes. For tests, and for `read`.
bool packet_gate_follow(struct packet_gate *gate, const uint8_t *bytes, size_t count);
