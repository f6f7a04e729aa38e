#include "cclient.h"

#include <dlfcn.h>
#include <mosquitto.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <unistd.h>

// The number stands for the library's binary interface: Debian 12 and 13 have this one.
static const char *const name = "libmosquitto.so.1";

static struct {
  __typeof__(mosquitto_lib_init) *start;
  __typeof__(mosquitto_new) *new;
  __typeof__(mosquitto_destroy) *destroy;
  __typeof__(mosquitto_user_data_set) *set_context;
  __typeof__(mosquitto_userdata) *context;
  __typeof__(mosquitto_username_pw_set) *user;
  __typeof__(mosquitto_tls_set) *tls;
  __typeof__(mosquitto_tls_opts_set) *tls_options;
  __typeof__(mosquitto_tls_insecure_set) *tls_insecure;
  __typeof__(mosquitto_connect) *connect;
  __typeof__(mosquitto_reconnect) *reconnect;
  __typeof__(mosquitto_disconnect) *disconnect;
  __typeof__(mosquitto_subscribe) *subscribe;
  __typeof__(mosquitto_publish) *publish;
  __typeof__(mosquitto_socket) *socket;
  __typeof__(mosquitto_want_write) *wants_write;
  __typeof__(mosquitto_loop_read) *read;
  __typeof__(mosquitto_loop_write) *write;
  __typeof__(mosquitto_loop_misc) *look;
  __typeof__(mosquitto_threaded_set) *hold;
  __typeof__(mosquitto_strerror) *text;
  __typeof__(mosquitto_connack_string) *refusal;
  __typeof__(mosquitto_connect_with_flags_callback_set) *on_connect;
  __typeof__(mosquitto_disconnect_callback_set) *on_disconnect;
  __typeof__(mosquitto_publish_callback_set) *on_publish;
  __typeof__(mosquitto_subscribe_callback_set) *on_subscribe;
  __typeof__(mosquitto_message_callback_set) *on_message;
  bool is_ready;
} library;

const char *cclient_load(void) {
  if (library.is_ready) return NULL;
  void *file = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (file == NULL) return dlerror();
  const struct {
    const char *name;
    void *place;
  } wanted[] = {
      {"mosquitto_lib_init", &library.start},
      {"mosquitto_new", &library.new},
      {"mosquitto_destroy", &library.destroy},
      {"mosquitto_user_data_set", &library.set_context},
      {"mosquitto_userdata", &library.context},
      {"mosquitto_username_pw_set", &library.user},
      {"mosquitto_tls_set", &library.tls},
      {"mosquitto_tls_opts_set", &library.tls_options},
      {"mosquitto_tls_insecure_set", &library.tls_insecure},
      {"mosquitto_connect", &library.connect},
      {"mosquitto_reconnect", &library.reconnect},
      {"mosquitto_disconnect", &library.disconnect},
      {"mosquitto_subscribe", &library.subscribe},
      {"mosquitto_publish", &library.publish},
      {"mosquitto_socket", &library.socket},
      {"mosquitto_want_write", &library.wants_write},
      {"mosquitto_loop_read", &library.read},
      {"mosquitto_loop_write", &library.write},
      {"mosquitto_loop_misc", &library.look},
      {"mosquitto_threaded_set", &library.hold},
      {"mosquitto_strerror", &library.text},
      {"mosquitto_connack_string", &library.refusal},
      {"mosquitto_connect_with_flags_callback_set", &library.on_connect},
      {"mosquitto_disconnect_callback_set", &library.on_disconnect},
      {"mosquitto_publish_callback_set", &library.on_publish},
      {"mosquitto_subscribe_callback_set", &library.on_subscribe},
      {"mosquitto_message_callback_set", &library.on_message},
  };
  for (size_t index = 0; index < sizeof wanted / sizeof *wanted; index++) {
    void *found = dlsym(file, wanted[index].name);
    if (found == NULL) return dlerror();
    *(void **)wanted[index].place = found;
  }
  if (library.start() != MOSQ_ERR_SUCCESS) return "libmosquitto.so.1: it does not start";
  library.is_ready = true;
  return NULL;
}

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
  struct mosquitto *client = library.new(name, is_session_clean, holder);
  if (client == NULL) {
    free(holder);
    return NULL;
  }
  library.on_connect(client, connected);
  library.on_disconnect(client, disconnected);
  library.on_publish(client, published);
  library.on_subscribe(client, subscribed);
  library.on_message(client, received);
  // The library writes at once what it has to say, unless it believes that another thread does so.
  if (is_held) library.hold(client, true);
  return client;
}

void cclient_free(struct mosquitto *client) {
  void *holder = library.context(client);
  library.destroy(client);
  free(holder);
}

int cclient_user(struct mosquitto *client, const char *user, const char *password) {
  return library.user(client, user, password);
}

// There is no terminal to ask for one.
static int no_passphrase(char *text, int room, int is_writing, void *data) {
  (void)is_writing;
  (void)data;
  if (room > 0) text[0] = 0;
  return 0;
}

int cclient_tls(
    struct mosquitto *client, const char *authority, const char *certificate, const char *key,
    bool is_verified) {
  int code = library.tls(
      client, authority, authority == NULL ? "/etc/ssl/certs" : NULL, certificate, key,
      no_passphrase);
  if (code != MOSQ_ERR_SUCCESS) return code;
  code = library.tls_options(client, is_verified ? 1 : 0, NULL, NULL);
  return code == MOSQ_ERR_SUCCESS ? library.tls_insecure(client, !is_verified) : code;
}

int cclient_connect(struct mosquitto *client, const char *host, int port, int keepalive) {
  return library.connect(client, host, port, keepalive);
}

int cclient_reconnect(struct mosquitto *client) { return library.reconnect(client); }
int cclient_disconnect(struct mosquitto *client) { return library.disconnect(client); }

int cclient_subscribe(struct mosquitto *client, const char *filter) {
  return library.subscribe(client, NULL, filter, 1);
}

int cclient_publish(
    struct mosquitto *client, int *number, const char *topic, const uint8_t *payload, size_t count,
    bool is_retained) {
  return library.publish(client, number, topic, (int)count, payload, 1, is_retained);
}

int cclient_socket(struct mosquitto *client) { return library.socket(client); }
bool cclient_wants_write(struct mosquitto *client) { return library.wants_write(client); }
int cclient_read(struct mosquitto *client) { return library.read(client, 1); }
int cclient_write(struct mosquitto *client) { return library.write(client, 1); }
int cclient_look(struct mosquitto *client) { return library.look(client); }
const char *cclient_text(int code) { return library.text(code); }
const char *cclient_refusal(int code) { return library.refusal(code); }

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
