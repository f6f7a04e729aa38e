#include "library.h"

#include <dlfcn.h>
#include <signal.h>

#include "cclient.h"

struct cclient_library cclient_library;

const char *cclient_load(void) {
  static bool is_ready;
  if (is_ready) return NULL;
  // The number stands for the library's binary interface: Debian 12 and 13 have this one.
  void *file = dlopen("libmosquitto.so.1", RTLD_NOW | RTLD_LOCAL);
  if (file == NULL) return dlerror();
  const struct {
    const char *name;
    void *place;
  } wanted[] = {
#define LIBRARY_PLACE(here, there) {#there, &cclient_library.here},
      LIBRARY_FUNCTIONS(LIBRARY_PLACE)
#undef LIBRARY_PLACE
  };
  for (size_t index = 0; index < sizeof wanted / sizeof *wanted; index++) {
    void *found = dlsym(file, wanted[index].name);
    if (found == NULL) return dlerror();
    *(void **)wanted[index].place = found;
  }
  if (cclient_library.start() != MOSQ_ERR_SUCCESS) return "libmosquitto.so.1: it does not start";
  // A broker that ends a connection is no reason to die.
  signal(SIGPIPE, SIG_IGN);
  is_ready = true;
  return NULL;
}

// There is no terminal to ask for one.
static int no_passphrase(char *text, int room, int is_writing, void *data) {
  (void)is_writing;
  (void)data;
  if (room > 0) text[0] = 0;
  return 0;
}

int cclient_secure(
    struct mosquitto *client, const char *authority, const char *certificate, const char *key,
    bool is_verified, bool is_named) {
  int code = cclient_library.tls(
      client, authority, authority == NULL ? "/etc/ssl/certs" : NULL, certificate, key,
      no_passphrase);
  if (code != MOSQ_ERR_SUCCESS) return code;
  code = cclient_library.tls_options(client, is_verified ? 1 : 0, NULL, NULL);
  return code == MOSQ_ERR_SUCCESS ? cclient_library.tls_insecure(client, !is_named) : code;
}
