// A name server that does not answer: preloaded, it makes every question for a name with "slow" in it wait for
// SLOW_NAMES_SECONDS. One with "nowhere" in it does not exist, as a router says of every name while its own line is down.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int getaddrinfo(const char *name, const char *port, const struct addrinfo *wanted, struct addrinfo **found) {
  if (name != NULL && strstr(name, "slow") != NULL) {
    const char *seconds = getenv("SLOW_NAMES_SECONDS");
    sleep(seconds != NULL ? (unsigned)atoi(seconds) : 20);
    return EAI_AGAIN;
  }
  if (name != NULL && strstr(name, "nowhere") != NULL) return EAI_NONAME;
  int (*own)(const char *, const char *, const struct addrinfo *, struct addrinfo **) =
      (int (*)(const char *, const char *, const struct addrinfo *, struct addrinfo **))dlsym(
          RTLD_NEXT, "getaddrinfo");
  return own(name, port, wanted, found);
}
