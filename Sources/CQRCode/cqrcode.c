#include "cqrcode.h"

#include <dlfcn.h>
#include <stddef.h>

// The number stands for the library's binary interface: Debian 12 and 13 have this one.
static const char *const name = "libqrencode.so.4";
// As the library numbers them: the smallest version with room, and a level of error correction.
enum { any_version = 0, level_m = 1 };
// The lowest bit of a module; the others say what it is for.
enum { dark = 1 };

// QRcode of qrencode.h.
struct cqrcode {
  int version;
  int width;
  unsigned char *data;
};

static struct {
  struct cqrcode *(*make)(int, const unsigned char *, int, int);
  void (*free)(struct cqrcode *);
} library;

const char *cqrcode_load(void) {
  if (library.make != NULL && library.free != NULL) return NULL;
  void *file = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (file == NULL) return dlerror();
  *(void **)&library.make = dlsym(file, "QRcode_encodeData");
  if (library.make == NULL) return dlerror();
  *(void **)&library.free = dlsym(file, "QRcode_free");
  return library.free == NULL ? dlerror() : NULL;
}

struct cqrcode *cqrcode_make(const unsigned char *bytes, int count) {
  return library.make(count, bytes, any_version, level_m);
}

void cqrcode_free(struct cqrcode *code) { library.free(code); }

int cqrcode_side(const struct cqrcode *code) { return code->width; }

bool cqrcode_is_dark(const struct cqrcode *code, int row, int column) {
  return (code->data[row * code->width + column] & dark) != 0;
}
