// A package that is not installed yet: preloaded, it lets no library be loaded whose name begins with MISSING_LIBRARY, while
// the file MISSING_WHILE is there.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *dlopen(const char *name, int flags) {
  const char *missing = getenv("MISSING_LIBRARY"), *flag = getenv("MISSING_WHILE");
  void *(*own)(const char *, int) = (void *(*)(const char *, int))dlsym(RTLD_NEXT, "dlopen");
  int is_missing = name != NULL && missing != NULL && strncmp(name, missing, strlen(missing)) == 0;
  return own(is_missing && flag != NULL && access(flag, F_OK) == 0 ? "/nonexistent/library.so" : name, flags);
}
