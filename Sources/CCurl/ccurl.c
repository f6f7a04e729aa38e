#include "ccurl.h"

#include <dlfcn.h>
#include <string.h>

// Debian has two, which differ in who does their TLS. The one with OpenSSL comes first: the MQTT library
// has loaded that already.
static const char *const names[] = {"libcurl.so.4", "libcurl-gnutls.so.4"};

// The functions by the names that this file calls them by, with the types that the header gives them.
static struct {
  __typeof__(curl_global_init) *start;
  __typeof__(curl_version) *version;
  __typeof__(curl_easy_init) *easy_make;
  __typeof__(curl_easy_cleanup) *easy_free;
  __typeof__(curl_easy_setopt) *easy_set;
  __typeof__(curl_easy_getinfo) *easy_ask;
  __typeof__(curl_slist_append) *list_add;
  __typeof__(curl_slist_free_all) *list_free;
  __typeof__(curl_multi_init) *multi_make;
  __typeof__(curl_multi_cleanup) *multi_free;
  __typeof__(curl_multi_setopt) *multi_set;
  __typeof__(curl_multi_add_handle) *multi_add;
  __typeof__(curl_multi_remove_handle) *multi_remove;
  __typeof__(curl_multi_socket_action) *multi_act;
  __typeof__(curl_multi_wait) *multi_wait;
  __typeof__(curl_multi_perform) *multi_perform;
  __typeof__(curl_multi_info_read) *multi_next;
  bool is_ready;
  bool has_openssl;
} curl;

const char *ccurl_load(void) {
  if (curl.is_ready) return NULL;
  void *library = NULL;
  for (size_t index = 0; index < sizeof names / sizeof *names && library == NULL; index++) {
    library = dlopen(names[index], RTLD_NOW | RTLD_LOCAL);
  }
  if (library == NULL) return dlerror();
  const struct {
    const char *name;
    void *place;
  } wanted[] = {
      {"curl_global_init", &curl.start},
      {"curl_version", &curl.version},
      {"curl_easy_init", &curl.easy_make},
      {"curl_easy_cleanup", &curl.easy_free},
      {"curl_easy_setopt", &curl.easy_set},
      {"curl_easy_getinfo", &curl.easy_ask},
      {"curl_slist_append", &curl.list_add},
      {"curl_slist_free_all", &curl.list_free},
      {"curl_multi_init", &curl.multi_make},
      {"curl_multi_cleanup", &curl.multi_free},
      {"curl_multi_setopt", &curl.multi_set},
      {"curl_multi_add_handle", &curl.multi_add},
      {"curl_multi_remove_handle", &curl.multi_remove},
      {"curl_multi_socket_action", &curl.multi_act},
      {"curl_multi_wait", &curl.multi_wait},
      {"curl_multi_perform", &curl.multi_perform},
      {"curl_multi_info_read", &curl.multi_next},
  };
  for (size_t index = 0; index < sizeof wanted / sizeof *wanted; index++) {
    void *found = dlsym(library, wanted[index].name);
    if (found == NULL) return dlerror();
    *(void **)wanted[index].place = found;
  }
  if (curl.start(CURL_GLOBAL_ALL) != 0) return "libcurl: it cannot be started";
  curl.has_openssl = strstr(curl.version(), "OpenSSL") != NULL;
  curl.is_ready = true;
  return NULL;
}

bool ccurl_has_openssl(void) { return curl.has_openssl; }

void *ccurl_multi(ccurl_socket_handler sockets, ccurl_timer_handler timer, void *user) {
  void *multi = curl.multi_make();
  if (multi == NULL) return NULL;
  curl.multi_set(multi, CURLMOPT_SOCKETFUNCTION, sockets);
  curl.multi_set(multi, CURLMOPT_SOCKETDATA, user);
  curl.multi_set(multi, CURLMOPT_TIMERFUNCTION, timer);
  curl.multi_set(multi, CURLMOPT_TIMERDATA, user);
  // A fresh one drives out the one before: that goes over a route that may be gone.
  curl.multi_set(multi, CURLMOPT_MAXCONNECTS, 1L);
  return multi;
}

void ccurl_multi_free(void *multi) { curl.multi_free(multi); }

void *ccurl_easy(ccurl_body_handler head, ccurl_body_handler body, void *user, char *words) {
  void *easy = curl.easy_make();
  if (easy == NULL) return NULL;
  curl.easy_set(easy, CURLOPT_HEADERFUNCTION, head);
  curl.easy_set(easy, CURLOPT_HEADERDATA, user);
  curl.easy_set(easy, CURLOPT_WRITEFUNCTION, body);
  curl.easy_set(easy, CURLOPT_WRITEDATA, user);
  curl.easy_set(easy, CURLOPT_ERRORBUFFER, words);
  return easy;
}

void ccurl_easy_sockets(void *easy, ccurl_opened_handler opened, ccurl_closing_handler closing, void *user) {
  curl.easy_set(easy, CURLOPT_SOCKOPTFUNCTION, opened);
  curl.easy_set(easy, CURLOPT_SOCKOPTDATA, user);
  curl.easy_set(easy, CURLOPT_CLOSESOCKETFUNCTION, closing);
  curl.easy_set(easy, CURLOPT_CLOSESOCKETDATA, user);
}

void ccurl_easy_free(void *easy) { curl.easy_free(easy); }

int ccurl_set_text(void *easy, enum ccurl_text option, const char *text) {
  return curl.easy_set(easy, (CURLoption)option, text);
}

int ccurl_set_number(void *easy, enum ccurl_number option, long number) {
  return curl.easy_set(easy, (CURLoption)option, number);
}

int ccurl_set_body(void *easy, const void *bytes, size_t count) {
  // The size first: the bytes may hold a NUL.
  int failure = curl.easy_set(easy, CURLOPT_POSTFIELDSIZE, (long)count);
  return failure != 0 ? failure : curl.easy_set(easy, CURLOPT_COPYPOSTFIELDS, count > 0 ? bytes : "");
}

int ccurl_set_headers(void *easy, void *list) { return curl.easy_set(easy, CURLOPT_HTTPHEADER, list); }

void *ccurl_headers_add(void *list, const char *line) { return curl.list_add(list, line); }

void ccurl_headers_free(void *list) { curl.list_free(list); }

int ccurl_start(void *multi, void *easy) { return curl.multi_add(multi, easy); }

int ccurl_stop(void *multi, void *easy) { return curl.multi_remove(multi, easy); }

void ccurl_ready(void *multi, int descriptor, int ready) {
  int running = 0;
  curl.multi_act(multi, descriptor, ready, &running);
}

void ccurl_timeout(void *multi) { ccurl_ready(multi, CURL_SOCKET_TIMEOUT, 0); }

void ccurl_serve(void *multi, int milliseconds) {
  int count = 0;
  curl.multi_wait(multi, NULL, 0, milliseconds, &count);
  curl.multi_perform(multi, &count);
}

bool ccurl_done(void *multi, int *code) {
  int left = 0;
  for (CURLMsg *next; (next = curl.multi_next(multi, &left)) != NULL;) {
    if (next->msg != CURLMSG_DONE) continue;
    *code = (int)next->data.result;
    return true;
  }
  return false;
}

long ccurl_ask(void *easy, enum ccurl_answer what) {
  long answer = 0;
  return curl.easy_ask(easy, (CURLINFO)what, &answer) == 0 ? answer : 0;
}
