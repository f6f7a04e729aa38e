// What Homeward needs of libcurl, which is loaded when HTTP mode is first asked for: a tracker that speaks
// MQTT neither needs the library nor holds it in memory. The prototypes and numbers are this file's own;
// they are the library's binary interface, which has not changed since its version 7.16 of 2006.
#pragma once

#include <stdbool.h>
#include <stddef.h>

/// Options that take a text, which is copied.
enum ccurl_text {
  ccurl_url = 10002,
  ccurl_agent = 10018,
  ccurl_certificate = 10025,
  ccurl_ca_file = 10065,
  ccurl_key = 10087,
  ccurl_ca_folder = 10097,
  ccurl_user = 10173,
  ccurl_password = 10174,
  ccurl_protocols = 10318,
};

/// Options that take a number.
enum ccurl_number {
  ccurl_tls_version = 32,
  ccurl_post = 47,
  ccurl_follow = 52,
  ccurl_verify_peer = 64,
  ccurl_fresh = 74,
  ccurl_verify_host = 81,
  ccurl_http_version = 84,
  ccurl_no_signals = 99,
  ccurl_authentication = 107,
  ccurl_milliseconds = 155,
  // Since 7.87; before that a name server that is silent holds up the caller that has stopped waiting.
  ccurl_quick_exit = 322,
};

/// What can be asked about a request that is over.
enum ccurl_answer {
  ccurl_status = 0x200002,
  ccurl_verified = 0x20000d,
  ccurl_errno = 0x200019,
};

/// What the library's codes of failure mean, as far as anybody here asks.
enum ccurl_failure {
  ccurl_good = 0,
  ccurl_bad_protocol = 1,
  ccurl_bad_url = 3,
  ccurl_no_name = 6,
  ccurl_no_connection = 7,
  ccurl_too_late = 28,
  ccurl_tls_failed = 35,
  ccurl_no_answer = 52,
  ccurl_not_sent = 55,
  ccurl_not_received = 56,
  ccurl_bad_certificate_file = 58,
  ccurl_not_verified = 60,
  ccurl_bad_ca_file = 77,
  ccurl_certificate_wanted = 98,
};

/// What a socket is to be watched for, as `what` of the handler below.
enum ccurl_watch { ccurl_read = 1, ccurl_write = 2, ccurl_both = 3, ccurl_remove = 4 };

/// `descriptor` is to be watched for `what` from now on.
typedef int (*ccurl_socket_handler)(void *easy, int descriptor, int what, void *user, void *unused);
/// ccurl_timeout is to be called after so many milliseconds; -1: never mind.
typedef int (*ccurl_timer_handler)(void *multi, long milliseconds, void *user);
/// A line of an answer's head, or a piece of its body; returns how many bytes were taken. Fewer than it was given
/// end the request.
typedef size_t (*ccurl_body_handler)(char *bytes, size_t one, size_t count, void *user);

/// Bytes of the place for the library's own words about a failure.
enum { ccurl_words = 256 };

/// Loads the library, once; it may read the disk for a while. NULL: it is there; else the loader's own
/// words, which stay valid until the next call.
const char *ccurl_load(void);
/// Whether it was built with OpenSSL, whose numbers `ccurl_verified` has.
bool ccurl_has_openssl(void);

// Only after ccurl_load said NULL. All of it on one thread.

void *ccurl_multi(ccurl_socket_handler sockets, ccurl_timer_handler timer, void *user);
void ccurl_multi_free(void *multi);
/// A request that can be made again and again. `words` outlives it.
void *ccurl_easy(ccurl_body_handler head, ccurl_body_handler body, void *user, char *words);
void ccurl_easy_free(void *easy);

// 0, or the library's code of what is wrong.

/// NULL: not even the usual one.
int ccurl_set_text(void *easy, enum ccurl_text option, const char *text);
int ccurl_set_number(void *easy, enum ccurl_number option, long number);
/// The bytes are copied.
int ccurl_set_body(void *easy, const void *bytes, size_t count);
/// `list` outlives the request.
int ccurl_set_headers(void *easy, void *list);

/// A longer list; NULL: there is no memory, and the list stays.
void *ccurl_headers_add(void *list, const char *line);
void ccurl_headers_free(void *list);

int ccurl_start(void *multi, void *easy);
/// Also takes a finished request out.
int ccurl_stop(void *multi, void *easy);
/// `ready` is made of ccurl_read and ccurl_write.
void ccurl_ready(void *multi, int descriptor, int ready);
void ccurl_timeout(void *multi);
/// Waits at most so many milliseconds for any socket and serves what is ready, without an event loop.
void ccurl_serve(void *multi, int milliseconds);

/// Whether a request has come to its end since the last question, and how.
bool ccurl_done(void *multi, int *code);
long ccurl_ask(void *easy, enum ccurl_answer what);
