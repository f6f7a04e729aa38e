// A name with several addresses: preloaded, it answers a question for `brokers.example` with those of ADDRESSES, blanks
// between them, in that order.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>

typedef int lookup(const char *, const char *, const struct addrinfo *, struct addrinfo **);

int getaddrinfo(const char *name, const char *port, const struct addrinfo *wanted, struct addrinfo **found) {
  lookup *own = (lookup *)dlsym(RTLD_NEXT, "getaddrinfo");
  const char *addresses = getenv("ADDRESSES");
  if (name == NULL || addresses == NULL || strcmp(name, "brokers.example") != 0) return own(name, port, wanted, found);
  char *list = strdup(addresses), *rest = NULL;
  struct addrinfo **end = found;
  *found = NULL;
  for (char *one = strtok_r(list, " ", &rest); one != NULL; one = strtok_r(NULL, " ", &rest)) {
    if (own(one, port, wanted, end) != 0) continue;
    while (*end != NULL) end = &(*end)->ai_next;
  }
  free(list);
  return *found != NULL ? 0 : EAI_NONAME;
}
