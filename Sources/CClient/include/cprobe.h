// A client of MQTT 5 that looks at what a broker grants and refuses, by the same library as `cclient.h`.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mosquitto;

/// CONNACK. What the broker does not say has the value that MQTT gives it then.
struct cprobe_greeting {
  /// 0: accepted.
  int reason;
  bool has_session;
  int maximum_qos;
  bool is_retaining;
  bool has_wildcards;
  bool has_shared_subscriptions;
  /// Seconds; below 0: as asked.
  int64_t session_expiry;
  /// Bytes; 0: any.
  uint32_t maximum_packet;
  int alias_maximum;
  int receive_maximum;
  /// Seconds; below 0: as asked.
  int keepalive;
};

struct cprobe_ears {
  void (*greeted)(void *context, const struct cprobe_greeting *greeting);
  /// The connection's end; from 128 on the broker's own reason.
  void (*ended)(void *context, int code);
  void (*acknowledged)(void *context, int reason);
  void (*subscribed)(void *context, int reason);
  /// `payload`: its beginning, as text.
  void (*received)(void *context, const char *topic, const char *payload, bool is_retained);
  /// A line of the library's or of OpenSSL's about a fault.
  void (*said)(void *context, const char *text);
};

/// Once `cclient_load` has answered. NULL: no memory, or a name that cannot be. It leaves no session behind.
struct mosquitto *cprobe_new(const char *name, struct cprobe_ears ears, void *context);
void cprobe_free(struct mosquitto *client);

// 0: good. Otherwise a number for `cprobe_text`.
int cprobe_user(struct mosquitto *client, const char *user, const char *password);
/// NULL: the system's authorities; no certificate of one's own. `is_named`: the certificate has to be for the host.
int cprobe_tls(
    struct mosquitto *client, const char *authority, const char *certificate, const char *key,
    bool is_verified, bool is_named);
/// Both in seconds: between two pings, and that a session is asked for.
int cprobe_connect(
    struct mosquitto *client, const char *host, int port, int keepalive, uint32_t expiry);
/// Ends the session, too.
int cprobe_disconnect(struct mosquitto *client);
int cprobe_subscribe(struct mosquitto *client, const char *filter);
/// An empty message of QoS 1, which is not retained.
int cprobe_publish(struct mosquitto *client, const char *topic);

/// Below 0: there is none.
int cprobe_socket(struct mosquitto *client);
bool cprobe_wants_write(struct mosquitto *client);
int cprobe_read(struct mosquitto *client);
int cprobe_write(struct mosquitto *client);

/// Of a number below 128, and of a reason from 128 on.
const char *cprobe_text(int code);

/// NULL: somebody listens there. Otherwise why not.
const char *cprobe_reach(const char *host, int port, int seconds);
/// Ends the program after so many seconds, with status 1 and these words on standard error.
void cprobe_limit(unsigned seconds, const char *words);
