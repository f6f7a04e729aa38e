#include "cprobe.h"

#include <errno.h>
#include <fcntl.h>
#include <mqtt_protocol.h>
#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "library.h"

// Of one client.
struct holder {
  struct cprobe_ears ears;
  void *context;
};

static int byte_of(const mosquitto_property *properties, int name, int usual) {
  uint8_t value = 0;
  return cclient_library.read_byte(properties, name, &value, false) == NULL ? usual : value;
}

static int short_of(const mosquitto_property *properties, int name, int usual) {
  uint16_t value = 0;
  return cclient_library.read_short(properties, name, &value, false) == NULL ? usual : value;
}

static int64_t number_of(const mosquitto_property *properties, int name, int64_t usual) {
  uint32_t value = 0;
  return cclient_library.read_number(properties, name, &value, false) == NULL ? usual : value;
}

static void greeted(
    struct mosquitto *client, void *data, int code, int flags,
    const mosquitto_property *properties) {
  (void)client;
  struct holder *holder = data;
  const struct cprobe_greeting greeting = {
      .reason = code,
      .has_session = (flags & 1) != 0,
      .maximum_qos = byte_of(properties, MQTT_PROP_MAXIMUM_QOS, 2),
      .is_retaining = byte_of(properties, MQTT_PROP_RETAIN_AVAILABLE, 1) != 0,
      .has_wildcards = byte_of(properties, MQTT_PROP_WILDCARD_SUB_AVAILABLE, 1) != 0,
      .has_shared_subscriptions = byte_of(properties, MQTT_PROP_SHARED_SUB_AVAILABLE, 1) != 0,
      .session_expiry = number_of(properties, MQTT_PROP_SESSION_EXPIRY_INTERVAL, -1),
      .maximum_packet = (uint32_t)number_of(properties, MQTT_PROP_MAXIMUM_PACKET_SIZE, 0),
      .alias_maximum = short_of(properties, MQTT_PROP_TOPIC_ALIAS_MAXIMUM, 0),
      .receive_maximum = short_of(properties, MQTT_PROP_RECEIVE_MAXIMUM, 65535),
      .keepalive = short_of(properties, MQTT_PROP_SERVER_KEEP_ALIVE, -1),
  };
  holder->ears.greeted(holder->context, &greeting);
}

static void ended(
    struct mosquitto *client, void *data, int code, const mosquitto_property *properties) {
  (void)client;
  (void)properties;
  struct holder *holder = data;
  holder->ears.ended(holder->context, code);
}

static void acknowledged(
    struct mosquitto *client, void *data, int number, int reason,
    const mosquitto_property *properties) {
  (void)client;
  (void)number;
  (void)properties;
  struct holder *holder = data;
  holder->ears.acknowledged(holder->context, reason);
}

static void subscribed(
    struct mosquitto *client, void *data, int number, int count, const int *granted,
    const mosquitto_property *properties) {
  (void)client;
  (void)number;
  (void)properties;
  struct holder *holder = data;
  holder->ears.subscribed(holder->context, count > 0 ? granted[0] : MQTT_RC_UNSPECIFIED);
}

static void received(
    struct mosquitto *client, void *data, const struct mosquitto_message *message,
    const mosquitto_property *properties) {
  (void)client;
  (void)properties;
  struct holder *holder = data;
  char text[100] = "";
  const size_t room = sizeof text - 1, size = (size_t)message->payloadlen;
  if (size > 0) memcpy(text, message->payload, size < room ? size : room);
  holder->ears.received(holder->context, message->topic, text, message->retain);
}

static void said(struct mosquitto *client, void *data, int level, const char *text) {
  (void)client;
  struct holder *holder = data;
  if (level == MOSQ_LOG_ERR) holder->ears.said(holder->context, text);
}

struct mosquitto *cprobe_new(const char *name, struct cprobe_ears ears, void *context) {
  struct holder *holder = malloc(sizeof *holder);
  if (holder == NULL) return NULL;
  *holder = (struct holder){ears, context};
  struct mosquitto *client = cclient_library.new(name, true, holder);
  if (client == NULL) {
    free(holder);
    return NULL;
  }
  cclient_library.option(client, MOSQ_OPT_PROTOCOL_VERSION, MQTT_PROTOCOL_V5);
  cclient_library.on_connect5(client, greeted);
  cclient_library.on_disconnect5(client, ended);
  cclient_library.on_publish5(client, acknowledged);
  cclient_library.on_subscribe5(client, subscribed);
  cclient_library.on_message5(client, received);
  cclient_library.on_log(client, said);
  return client;
}

void cprobe_free(struct mosquitto *client) {
  void *holder = cclient_library.context(client);
  cclient_library.destroy(client);
  free(holder);
}

int cprobe_user(struct mosquitto *client, const char *user, const char *password) {
  return cclient_library.user(client, user, password);
}

int cprobe_tls(
    struct mosquitto *client, const char *authority, const char *certificate, const char *key,
    bool is_verified, bool is_named) {
  return cclient_secure(client, authority, certificate, key, is_verified, is_named);
}

int cprobe_connect(
    struct mosquitto *client, const char *host, int port, int keepalive, uint32_t expiry) {
  mosquitto_property *properties = NULL;
  int code = cclient_library.add_number(&properties, MQTT_PROP_SESSION_EXPIRY_INTERVAL, expiry);
  if (code == MOSQ_ERR_SUCCESS) {
    code = cclient_library.connect5(client, host, port, keepalive, NULL, properties);
  }
  cclient_library.free_properties(&properties);
  return code;
}

int cprobe_disconnect(struct mosquitto *client) {
  mosquitto_property *properties = NULL;
  cclient_library.add_number(&properties, MQTT_PROP_SESSION_EXPIRY_INTERVAL, 0);
  int code = cclient_library.disconnect5(client, 0, properties);
  cclient_library.free_properties(&properties);
  return code;
}

int cprobe_subscribe(struct mosquitto *client, const char *filter) {
  return cclient_library.subscribe5(client, NULL, filter, 1, 0, NULL);
}

int cprobe_publish(struct mosquitto *client, const char *topic) {
  return cclient_library.publish5(client, NULL, topic, 0, NULL, 1, false, NULL);
}

int cprobe_socket(struct mosquitto *client) { return cclient_library.socket(client); }
bool cprobe_wants_write(struct mosquitto *client) { return cclient_library.wants_write(client); }
int cprobe_read(struct mosquitto *client) { return cclient_library.read(client, 1); }
int cprobe_write(struct mosquitto *client) { return cclient_library.write(client, 1); }

const char *cprobe_text(int code) {
  return code >= 128 ? cclient_library.reason(code) : cclient_library.text(code);
}

static bool is_reached(const struct addrinfo *address, int milliseconds) {
  int socket_ = socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (socket_ < 0) return false;
  int fault = 0;
  if (connect(socket_, address->ai_addr, address->ai_addrlen) != 0) fault = errno;
  if (fault == EINPROGRESS) {
    struct pollfd polled = {socket_, POLLOUT, 0};
    socklen_t size = sizeof fault;
    if (poll(&polled, 1, milliseconds) <= 0) {
      fault = ETIMEDOUT;
    } else if (getsockopt(socket_, SOL_SOCKET, SO_ERROR, &fault, &size) != 0) {
      fault = errno;
    }
  }
  close(socket_);
  errno = fault;
  return fault == 0;
}

const char *cprobe_reach(const char *host, int port, int seconds) {
  const struct addrinfo wanted = {.ai_socktype = SOCK_STREAM};
  struct addrinfo *found = NULL;
  char digits[16];
  snprintf(digits, sizeof digits, "%d", port);
  int code = getaddrinfo(host, digits, &wanted, &found);
  if (code != 0) return code == EAI_SYSTEM ? strerror(errno) : gai_strerror(code);
  int count = 0;
  for (const struct addrinfo *one = found; one != NULL; one = one->ai_next) count++;
  const char *fault = NULL;
  for (const struct addrinfo *one = found; one != NULL; one = one->ai_next) {
    fault = is_reached(one, seconds * 1000 / count) ? NULL : strerror(errno);
    if (fault == NULL) break;
  }
  freeaddrinfo(found);
  return fault;
}

static char last_words[200];

static void end(int number) {
  (void)number;
  if (write(STDERR_FILENO, last_words, strlen(last_words)) < 0) _exit(1);
  _exit(1);
}

void cprobe_limit(unsigned seconds, const char *words) {
  snprintf(last_words, sizeof last_words, "%s", words);
  signal(SIGALRM, end);
  alarm(seconds);
}
