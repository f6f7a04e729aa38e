// State of libmosquitto's TLS connection that it does not expose: how far the handshake is, what it
// waits for, and why a certificate was refused. libssl is loaded already, because libmosquitto needs
// it: its functions are looked up there, its numbers come from its headers when this is built.
#ifndef HOMEWARD_MOSQUITTO_TLS_H
#define HOMEWARD_MOSQUITTO_TLS_H

#include <dlfcn.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/sslerr.h>
#include <openssl/x509_vfy.h>
#include <stddef.h>

static inline void *homeward_tls_function(const char *name) {
  return dlsym(NULL /* RTLD_DEFAULT */, name);
}

// Whether the handshake is not finished; 0 when nobody can say.
static inline int homeward_tls_is_in_handshake(void *ssl) {
  int (*ask)(const void *) = (int (*)(const void *))homeward_tls_function("SSL_in_init");
  return ssl != NULL && ask != NULL ? ask(ssl) != 0 : 0;
}

// Whether the last call stopped because the socket would not take more.
static inline int homeward_tls_wants_write(void *ssl) {
  int (*ask)(const void *) = (int (*)(const void *))homeward_tls_function("SSL_want");
  return ssl != NULL && ask != NULL ? ask(ssl) == SSL_WRITING : 0;
}

// An X509_V_ERR_ number; 0 when all is well or nobody can say.
static inline long homeward_tls_verify_result(void *ssl) {
  long (*ask)(const void *) = (long (*)(const void *))homeward_tls_function("SSL_get_verify_result");
  return ssl != NULL && ask != NULL ? ask(ssl) : 0;
}

#endif
