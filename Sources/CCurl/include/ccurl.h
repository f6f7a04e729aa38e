// The part of libcurl that Homeward needs, which is loaded when HTTP mode is first asked for: a tracker that speaks
// MQTT neither needs the library nor holds it in memory. Its headers say the numbers when this is built.
#pragma once

#include <curl/curl.h>
#include <stdbool.h>
#include <stddef.h>

/// Options that take a text, which is copied.
enum ccurl_text {
  ccurl_url = CURLOPT_URL,
  ccurl_agent = CURLOPT_USERAGENT,
  ccurl_certificate = CURLOPT_SSLCERT,
  ccurl_ca_file = CURLOPT_CAINFO,
  ccurl_key = CURLOPT_SSLKEY,
  ccurl_ca_folder = CURLOPT_CAPATH,
  ccurl_user = CURLOPT_USERNAME,
  ccurl_password = CURLOPT_PASSWORD,
  ccurl_protocols = CURLOPT_PROTOCOLS_STR,
};

/// Options that take a number.
enum ccurl_number {
  ccurl_tls_version = CURLOPT_SSLVERSION,
  ccurl_post = CURLOPT_POST,
  ccurl_follow = CURLOPT_FOLLOWLOCATION,
  ccurl_verify_peer = CURLOPT_SSL_VERIFYPEER,
  ccurl_fresh = CURLOPT_FRESH_CONNECT,
  ccurl_verify_host = CURLOPT_SSL_VERIFYHOST,
  ccurl_http_version = CURLOPT_HTTP_VERSION,
  ccurl_no_signals = CURLOPT_NOSIGNAL,
  ccurl_authentication = CURLOPT_HTTPAUTH,
  ccurl_milliseconds = CURLOPT_TIMEOUT_MS,
  // Since 7.87; before that a name server that is silent holds up the caller that has stopped waiting.
  ccurl_quick_exit = CURLOPT_QUICK_EXIT,
};

/// Values of these options.
enum {
  ccurl_http_1_1 = CURL_HTTP_VERSION_1_1,
  ccurl_tls_1_2 = CURL_SSLVERSION_TLSv1_2,
  ccurl_basic = CURLAUTH_BASIC,
};

/// Results of a request that is over.
enum ccurl_answer {
  ccurl_status = CURLINFO_RESPONSE_CODE,
  ccurl_verified = CURLINFO_SSL_VERIFYRESULT,
  ccurl_errno = CURLINFO_OS_ERRNO,
};

/// The library's error codes, as far as they are used here.
enum ccurl_failure {
  ccurl_good = CURLE_OK,
  ccurl_bad_protocol = CURLE_UNSUPPORTED_PROTOCOL,
  ccurl_bad_url = CURLE_URL_MALFORMAT,
  ccurl_no_name = CURLE_COULDNT_RESOLVE_HOST,
  ccurl_no_connection = CURLE_COULDNT_CONNECT,
  ccurl_too_late = CURLE_OPERATION_TIMEDOUT,
  ccurl_tls_failed = CURLE_SSL_CONNECT_ERROR,
  ccurl_no_answer = CURLE_GOT_NOTHING,
  ccurl_not_sent = CURLE_SEND_ERROR,
  ccurl_not_received = CURLE_RECV_ERROR,
  ccurl_bad_certificate_file = CURLE_SSL_CERTPROBLEM,
  ccurl_not_verified = CURLE_PEER_FAILED_VERIFICATION,
  ccurl_bad_ca_file = CURLE_SSL_CACERT_BADFILE,
  ccurl_certificate_wanted = CURLE_SSL_CLIENTCERT,
};

/// The events to watch a socket for, as `what` of the handler below.
enum ccurl_watch {
  ccurl_read = CURL_POLL_IN,
  ccurl_write = CURL_POLL_OUT,
  ccurl_both = CURL_POLL_INOUT,
  ccurl_remove = CURL_POLL_REMOVE,
};

/// `descriptor` is to be watched for `what` from now on.
typedef int (*ccurl_socket_handler)(void *easy, int descriptor, int what, void *user, void *unused);
/// ccurl_timeout is to be called after so many milliseconds; -1: never mind.
typedef int (*ccurl_timer_handler)(void *multi, long milliseconds, void *user);
/// A line of an answer's head, or a piece of its body; returns how many bytes were taken. Fewer than it was given
/// end the request.
typedef size_t (*ccurl_body_handler)(char *bytes, size_t one, size_t count, void *user);

/// A socket has been made, or is to be closed by the handler.
typedef int (*ccurl_opened_handler)(void *user, int descriptor, int purpose);
typedef int (*ccurl_closing_handler)(void *user, int descriptor);

/// Bytes of the place for the library's own words about a failure.
enum { ccurl_words = CURL_ERROR_SIZE };

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
/// Handlers of its sockets, until the end of all that it has made.
void ccurl_easy_sockets(void *easy, ccurl_opened_handler opened, ccurl_closing_handler closing, void *user);

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
