#include "cprobe.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <mosquitto.h>
#include <mqtt_protocol.h>
#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static struct {
  __typeof__(mosquitto_lib_init) *start;
  __typeof__(mosquitto_new) *new;
  __typeof__(mosquitto_destroy) *destroy;
  __typeof__(mosquitto_userdata) *context;
  __typeof__(mosquitto_int_option) *option;
  __typeof__(mosquitto_username_pw_set) *user;
  __typeof__(mosquitto_tls_set) *tls;
  __typeof__(mosquitto_tls_opts_set) *tls_options;
  __typeof__(mosquitto_tls_insecure_set) *tls_insecure;
  __typeof__(mosquitto_connect_bind_v5) *connect;
  __typeof__(mosquitto_disconnect_v5) *disconnect;
  __typeof__(mosquitto_subscribe_v5) *subscribe;
  __typeof__(mosquitto_publish_v5) *publish;
  __typeof__(mosquitto_socket) *socket;
  __typeof__(mosquitto_want_write) *wants_write;
  __typeof__(mosquitto_loop_read) *read;
  __typeof__(mosquitto_loop_write) *write;
  __typeof__(mosquitto_strerror) *text;
  __typeof__(mosquitto_reason_string) *reason;
  __typeof__(mosquitto_connect_v5_callback_set) *on_connect;
  __typeof__(mosquitto_disconnect_v5_callback_set) *on_disconnect;
  __typeof__(mosquitto_publish_v5_callback_set) *on_publish;
  __typeof__(mosquitto_subscribe_v5_callback_set) *on_subscribe;
  __typeof__(mosquitto_message_v5_callback_set) *on_message;
  __typeof__(mosquitto_log_callback_set) *on_log;
  __typeof__(mosquitto_property_add_int32) *add_number;
  __typeof__(mosquitto_property_free_all) *free_properties;
  __typeof__(mosquitto_property_read_byte) *read_byte;
  __typeof__(mosquitto_property_read_int16) *read_short;
  __typeof__(mosquitto_property_read_int32) *read_number;
  bool is_ready;
} library;

const char *cprobe_load(void) {
  if (library.is_ready) return NULL;
  void *file = dlopen("libmosquitto.so.1", RTLD_NOW | RTLD_LOCAL);
  if (file == NULL) return dlerror();
  const struct {
    const char *name;
    void *place;
  } wanted[] = {
      {"mosquitto_lib_init", &library.start},
      {"mosquitto_new", &library.new},
      {"mosquitto_destroy", &library.destroy},
      {"mosquitto_userdata", &library.context},
      {"mosquitto_int_option", &library.option},
      {"mosquitto_username_pw_set", &library.user},
      {"mosquitto_tls_set", &library.tls},
      {"mosquitto_tls_opts_set", &library.tls_options},
      {"mosquitto_tls_insecure_set", &library.tls_insecure},
      {"mosquitto_connect_bind_v5", &library.connect},
      {"mosquitto_disconnect_v5", &library.disconnect},
      {"mosquitto_subscribe_v5", &library.subscribe},
      {"mosquitto_publish_v5", &library.publish},
      {"mosquitto_socket", &library.socket},
      {"mosquitto_want_write", &library.wants_write},
      {"mosquitto_loop_read", &library.read},
      {"mosquitto_loop_write", &library.write},
      {"mosquitto_strerror", &library.text},
      {"mosquitto_reason_string", &library.reason},
      {"mosquitto_connect_v5_callback_set", &library.on_connect},
      {"mosquitto_disconnect_v5_callback_set", &library.on_disconnect},
      {"mosquitto_publish_v5_callback_set", &library.on_publish},
      {"mosquitto_subscribe_v5_callback_set", &library.on_subscribe},
      {"mosquitto_message_v5_callback_set", &library.on_message},
      {"mosquitto_log_callback_set", &library.on_log},
      {"mosquitto_property_add_int32", &library.add_number},
      {"mosquitto_property_free_all", &library.free_properties},
      {"mosquitto_property_read_byte", &library.read_byte},
      {"mosquitto_property_read_int16", &library.read_short},
      {"mosquitto_property_read_int32", &library.read_number},
  };
  for (size_t index = 0; index < sizeof wanted / sizeof *wanted; index++) {
    void *found = dlsym(file, wanted[index].name);
    if (found == NULL) return dlerror();
    *(void **)wanted[index].place = found;
  }
  if (library.start() != MOSQ_ERR_SUCCESS) return "libmosquitto.so.1: it does not start";
  library.is_ready = true;
  // A broker that ends a connection is no reason to die.
  signal(SIGPIPE, SIG_IGN);
  return NULL;
}

// Of one client.
struct holder {
  struct cprobe_ears ears;
  void *context;
};

static int byte_of(const mosquitto_property *properties, int name, int usual) {
  uint8_t value = 0;
  return library.read_byte(properties, name, &value, false) == NULL ? usual : value;
}

static int short_of(const mosquitto_property *properties, int name, int usual) {
  uint16_t value = 0;
  return library.read_short(properties, name, &value, false) == NULL ? usual : value;
}

static int64_t number_of(const mosquitto_property *properties, int name, int64_t usual) {
  uint32_t value = 0;
  return library.read_number(properties, name, &value, false) == NULL ? usual : value;
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
  struct mosquitto *client = library.new(name, true, holder);
  if (client == NULL) {
    free(holder);
    return NULL;
  }
  library.option(client, MOSQ_OPT_PROTOCOL_VERSION, MQTT_PROTOCOL_V5);
  library.on_connect(client, greeted);
  library.on_disconnect(client, ended);
  library.on_publish(client, acknowledged);
  library.on_subscribe(client, subscribed);
  library.on_message(client, received);
  library.on_log(client, said);
  return client;
}

void cprobe_free(struct mosquitto *client) {
  void *holder = library.context(client);
  library.destroy(client);
  free(holder);
}

int cprobe_user(struct mosquitto *client, const char *user, const char *password) {
  return library.user(client, user, password);
}

// There is no terminal to ask for one.
static int no_passphrase(char *text, int room, int is_writing, void *data) {
  (void)is_writing;
  (void)data;
  if (room > 0) text[0] = 0;
  return 0;
}

int cprobe_tls(
    struct mosquitto *client, const char *authority, const char *certificate, const char *key,
    bool is_verified, bool is_named) {
  int code = library.tls(
      client, authority, authority == NULL ? "/etc/ssl/certs" : NULL, certificate, key,
      no_passphrase);
  if (code != MOSQ_ERR_SUCCESS) return code;
  code = library.tls_options(client, is_verified ? 1 : 0, NULL, NULL);
  return code == MOSQ_ERR_SUCCESS ? library.tls_insecure(client, !is_named) : code;
}

int cprobe_connect(
    struct mosquitto *client, const char *host, int port, int keepalive, uint32_t expiry) {
  mosquitto_property *properties = NULL;
  int code = library.add_number(&properties, MQTT_PROP_SESSION_EXPIRY_INTERVAL, expiry);
  if (code == MOSQ_ERR_SUCCESS) {
    code = library.connect(client, host, port, keepalive, NULL, properties);
  }
  library.free_properties(&properties);
  return code;
}

int cprobe_disconnect(struct mosquitto *client) {
  mosquitto_property *properties = NULL;
  library.add_number(&properties, MQTT_PROP_SESSION_EXPIRY_INTERVAL, 0);
  int code = library.disconnect(client, 0, properties);
  library.free_properties(&properties);
  return code;
}

int cprobe_subscribe(struct mosquitto *client, const char *filter) {
  return library.subscribe(client, NULL, filter, 1, 0, NULL);
}

int cprobe_publish(struct mosquitto *client, const char *topic) {
  return library.publish(client, NULL, topic, 0, NULL, 1, false, NULL);
}

int cprobe_socket(struct mosquitto *client) { return library.socket(client); }
bool cprobe_wants_write(struct mosquitto *client) { return library.wants_write(client); }
int cprobe_read(struct mosquitto *client) { return library.read(client, 1); }
int cprobe_write(struct mosquitto *client) { return library.write(client, 1); }

const char *cprobe_text(int code) {
  return code >= 128 ? library.reason(code) : library.text(code);
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
