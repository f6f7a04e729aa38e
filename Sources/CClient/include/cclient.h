// libmosquitto for the command line, loaded only where it is wanted: every other command starts without it. A client of
// MQTT 5 that looks at a broker is in cprobe.h.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mosquitto;

/// Ears of a client. `context` is the one that it was made with.
struct cclient_ears {
  /// CONNACK; 0: accepted, and whether there was a session.
  void (*connected)(void *context, int code, bool has_session);
  void (*disconnected)(void *context, int code);
  /// PUBACK of one's own message.
  void (*published)(void *context, int number);
  /// SUBACK; `granted` 128: refused.
  void (*subscribed)(void *context, int granted);
  void (*received)(
      void *context, const char *topic, const uint8_t *payload, size_t count, bool is_retained);
};

/// For this client and the other. NULL: it is there. Otherwise why it is not.
const char *cclient_load(void);

/// NULL: no memory, or a name that cannot be. `is_held`: nothing is written until `cclient_write` is called, not even
/// an acknowledgement.
struct mosquitto *cclient_new(
    const char *name, bool is_session_clean, bool is_held, struct cclient_ears ears, void *context);
void cclient_free(struct mosquitto *client);

// 0: good. Otherwise a number for `cclient_text`.
int cclient_user(struct mosquitto *client, const char *user, const char *password);
/// NULL: the system's authorities; no certificate of one's own.
int cclient_tls(
    struct mosquitto *client, const char *authority, const char *certificate, const char *key,
    bool is_verified);
int cclient_connect(struct mosquitto *client, const char *host, int port, int keepalive);
int cclient_reconnect(struct mosquitto *client);
int cclient_disconnect(struct mosquitto *client);
int cclient_subscribe(struct mosquitto *client, const char *filter);
/// QoS 1. `number` is that of `published`.
int cclient_publish(
    struct mosquitto *client, int *number, const char *topic, const uint8_t *payload, size_t count,
    bool is_retained);

/// Below 0: there is none.
int cclient_socket(struct mosquitto *client);
bool cclient_wants_write(struct mosquitto *client);
int cclient_read(struct mosquitto *client);
int cclient_write(struct mosquitto *client);
/// Pings; every few seconds.
int cclient_look(struct mosquitto *client);

const char *cclient_text(int code);
/// Why a server turns a connection down.
const char *cclient_refusal(int code);

/// Becomes readable with SIGTERM or SIGINT, which end the program no more; below 0: there is none.
int cclient_signals(void);
/// Whether one has come since.
bool cclient_signal_came(int descriptor);
