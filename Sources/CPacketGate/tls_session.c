#define _GNU_SOURCE
#include "tls_session.h"

#include <dlfcn.h>
#include <openssl/crypto.h>
#include <openssl/ssl.h>
#include <stdbool.h>
#include <stdlib.h>

// The functions by the names that the header has them under, but for macros.
static struct {
  __typeof__(SSL_get_SSL_CTX) *context;
  __typeof__(SSL_get_session) *session;
  __typeof__(SSL_set_session) *offer;
  __typeof__(SSL_SESSION_dup) *copy;
  __typeof__(SSL_SESSION_free) *release;
  __typeof__(SSL_CTX_get_ex_data) *kept;
  __typeof__(SSL_CTX_set_ex_data) *keep;
  __typeof__(SSL_CTX_ctrl) *control;
  __typeof__(SSL_CTX_sess_set_new_cb) *on_session;
  __typeof__(SSL_CTX_set_info_callback) *on_state;
  __typeof__(CRYPTO_get_ex_new_index) *new_place;
  int place;
} tls;

// The session of a context.
struct kept {
  SSL_SESSION *session;
  // Whether a handshake with it has begun and not ended.
  bool is_offered;
  // Whether a server has answered it with an alert. It then is not asked again: some do so whenever a client with a
  // certificate wants to resume.
  bool is_refused;
};

static void forget(struct kept *kept) {
  if (kept->session != NULL) tls.release(kept->session);
  kept->session = NULL;
  kept->is_offered = false;
}

static void context_gone(void *context, void *kept, CRYPTO_EX_DATA *data, int place, long number, void *user) {
  (void)context, (void)data, (void)place, (void)number, (void)user;
  if (kept != NULL) forget(kept);
  free(kept);
}

static struct kept *kept_by(const SSL *ssl) { return tls.kept(tls.context(ssl), tls.place); }

static bool is_ready(void) {
  static int state;
  if (state != 0) return state > 0;
  state = -1;
  const struct {
    const char *name;
    void *place;
  } wanted[] = {
      {"SSL_get_SSL_CTX", &tls.context},
      {"SSL_get_session", &tls.session},
      {"SSL_set_session", &tls.offer},
      {"SSL_SESSION_dup", &tls.copy},
      {"SSL_SESSION_free", &tls.release},
      {"SSL_CTX_get_ex_data", &tls.kept},
      {"SSL_CTX_set_ex_data", &tls.keep},
      {"SSL_CTX_ctrl", &tls.control},
      {"SSL_CTX_sess_set_new_cb", &tls.on_session},
      {"SSL_CTX_set_info_callback", &tls.on_state},
      {"CRYPTO_get_ex_new_index", &tls.new_place},
  };
  for (size_t index = 0; index < sizeof wanted / sizeof *wanted; index++) {
    void *found = dlsym(RTLD_DEFAULT, wanted[index].name);
    if (found == NULL) return false;
    *(void **)wanted[index].place = found;
  }
  tls.place = tls.new_place(CRYPTO_EX_INDEX_SSL_CTX, 0, NULL, NULL, NULL, context_gone);
  if (tls.place >= 0) state = 1;
  return state > 0;
}

// A server gives two with TLS 1.3; the last one counts. Copies are kept and offered, because the library spoils the session
// of a connection that breaks. 0: this one is not kept itself.
static int came(SSL *ssl, SSL_SESSION *session) {
  struct kept *kept = kept_by(ssl);
  if (kept->is_refused) return 0;
  forget(kept);
  kept->session = tls.copy(session);
  return 0;
}

static void changes(const SSL *ssl, int what, int result) {
  struct kept *kept = kept_by(ssl);
  // With a session it is a message after the handshake.
  if ((what & SSL_CB_HANDSHAKE_START) != 0 && tls.session(ssl) == NULL) {
    // A handshake that came to nothing: the next one is a whole one.
    if (kept->is_offered) forget(kept);
    SSL_SESSION *copy = kept->session != NULL ? tls.copy(kept->session) : NULL;
    if (copy == NULL) return;
    kept->is_offered = tls.offer((SSL *)ssl, copy) == 1;
    tls.release(copy);
  } else if ((what & SSL_CB_HANDSHAKE_DONE) != 0) {
    kept->is_offered = false;
  } else if (what == SSL_CB_READ_ALERT && result >> 8 == SSL3_AL_FATAL && kept->is_offered) {
    kept->is_refused = true;
    forget(kept);
  }
}

void tls_session_keep(void *ssl) {
  if (ssl == NULL || !is_ready()) return;
  SSL_CTX *context = tls.context(ssl);
  if (context == NULL || tls.kept(context, tls.place) != NULL) return;
  struct kept *kept = calloc(1, sizeof *kept);
  if (kept == NULL) return;
  if (tls.keep(context, tls.place, kept) != 1) {
    free(kept);
    return;
  }
  tls.control(context, SSL_CTRL_SET_SESS_CACHE_MODE, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL, NULL);
  tls.on_session(context, came);
  tls.on_state(context, changes);
}
