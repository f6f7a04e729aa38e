#include "cclient.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "library.h"

// Of one client.
struct holder {
  struct cclient_ears ears;
  void *context;
};

static void connected(struct mosquitto *client, void *data, int code, int flags) {
  (void)client;
  struct holder *holder = data;
  holder->ears.connected(holder->context, code, (flags & 1) != 0);
}

static void disconnected(struct mosquitto *client, void *data, int code) {
  (void)client;
  struct holder *holder = data;
  holder->ears.disconnected(holder->context, code);
}

static void published(struct mosquitto *client, void *data, int number) {
  (void)client;
  struct holder *holder = data;
  holder->ears.published(holder->context, number);
}

static void subscribed(
    struct mosquitto *client, void *data, int number, int count, const int *granted) {
  (void)client;
  (void)number;
  struct holder *holder = data;
  holder->ears.subscribed(holder->context, count > 0 ? granted[0] : 128);
}

static void received(
    struct mosquitto *client, void *data, const struct mosquitto_message *message) {
  (void)client;
  struct holder *holder = data;
  holder->ears.received(
      holder->context, message->topic, message->payload, (size_t)message->payloadlen,
      message->retain);
}

struct mosquitto *cclient_new(
    const char *name, bool is_session_clean, bool is_held, struct cclient_ears ears,
    void *context) {
  struct holder *holder = malloc(sizeof *holder);
  if (holder == NULL) return NULL;
  *holder = (struct holder){ears, context};
  struct mosquitto *client = cclient_library.new(name, is_session_clean, holder);
  if (client == NULL) {
    free(holder);
    return NULL;
  }
  cclient_library.on_connect(client, connected);
  cclient_library.on_disconnect(client, disconnected);
  cclient_library.on_publish(client, published);
  cclient_library.on_subscribe(client, subscribed);
  cclient_library.on_message(client, received);
  // The library writes at once what it has to say, unless it believes that another thread does so.
  if (is_held) cclient_library.hold(client, true);
  return client;
}

void cclient_free(struct mosquitto *client) {
  void *holder = cclient_library.context(client);
  cclient_library.destroy(client);
  free(holder);
}

int cclient_user(struct mosquitto *client, const char *user, const char *password) {
  return cclient_library.user(client, user, password);
}

int cclient_tls(
    struct mosquitto *client, const char *authority, const char *certificate, const char *key,
    bool is_verified) {
  return cclient_secure(client, authority, certificate, key, is_verified, is_verified);
}

int cclient_connect(struct mosquitto *client, const char *host, int port, int keepalive) {
  return cclient_library.connect(client, host, port, keepalive);
}

int cclient_reconnect(struct mosquitto *client) { return cclient_library.reconnect(client); }
int cclient_disconnect(struct mosquitto *client) { return cclient_library.disconnect(client); }

int cclient_subscribe(struct mosquitto *client, const char *filter) {
  return cclient_library.subscribe(client, NULL, filter, 1);
}

int cclient_publish(
    struct mosquitto *client, int *number, const char *topic, const uint8_t *payload, size_t count,
    bool is_retained) {
  return cclient_library.publish(client, number, topic, (int)count, payload, 1, is_retained);
}

int cclient_socket(struct mosquitto *client) { return cclient_library.socket(client); }
bool cclient_wants_write(struct mosquitto *client) { return cclient_library.wants_write(client); }
int cclient_read(struct mosquitto *client) { return cclient_library.read(client, 1); }
int cclient_write(struct mosquitto *client) { return cclient_library.write(client, 1); }
int cclient_look(struct mosquitto *client) { return cclient_library.look(client); }
const char *cclient_text(int code) { return cclient_library.text(code); }
const char *cclient_refusal(int code) { return cclient_library.refusal(code); }

int cclient_signals(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  if (sigprocmask(SIG_BLOCK, &set, NULL) != 0) return -1;
  signal(SIGPIPE, SIG_IGN);
  return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

bool cclient_signal_came(int descriptor) {
  struct signalfd_siginfo info;
  return read(descriptor, &info, sizeof info) == sizeof info;
}
