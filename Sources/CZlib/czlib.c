#include "czlib.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

// The number stands for the library's binary interface, which is thirty years old.
static const char *const name = "libz.so.1";
static const char *const interface = "1.2.11";
// As the library numbers them.
enum { deflated = 8, sync_flush = 2, finish = 4, ok = 0, stream_end = 1 };
// Level 6 is zlib's own choice. 16 more bits of window ask for gzip's form.
enum { level = 6, whole_window = 15, whole_memory = 8, small_window = 12, small_memory = 5, as_gzip = 16 };

// z_stream of zlib.h.
struct stream {
  const unsigned char *next_in;
  unsigned avail_in;
  unsigned long total_in;
  unsigned char *next_out;
  unsigned avail_out;
  unsigned long total_out;
  const char *message;
  void *state;
  void *(*allocate)(void *, unsigned, unsigned);
  void (*release)(void *, void *);
  void *opaque;
  int data_type;
  unsigned long adler;
  unsigned long reserved;
};

struct czlib_flow {
  struct stream stream;
};

static struct {
  int (*begin)(struct stream *, int, int, int, int, int, const char *, int);
  int (*pack)(struct stream *, int);
  int (*end)(struct stream *);
} zlib;

static void look(void) {
  void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return;
  *(void **)&zlib.begin = dlsym(library, "deflateInit2_");
  *(void **)&zlib.pack = dlsym(library, "deflate");
  *(void **)&zlib.end = dlsym(library, "deflateEnd");
}

// Whichever thread is the first: another waits for what it finds.
static bool load(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, look);
  return zlib.begin != NULL && zlib.pack != NULL && zlib.end != NULL;
}

struct czlib_flow *czlib_begin(bool is_long) {
  if (!load()) return NULL;
  struct czlib_flow *flow = calloc(1, sizeof *flow);
  if (flow == NULL) return NULL;
  int window = as_gzip + (is_long ? small_window : whole_window), memory = is_long ? small_memory : whole_memory;
  if (zlib.begin(&flow->stream, level, deflated, window, memory, 0, interface, sizeof flow->stream) == ok) {
    return flow;
  }
  free(flow);
  return NULL;
}

// Incompressible data grows by 5 bytes for each block, of which a small memory makes many.
size_t czlib_room(size_t count) { return count + count / 8 + 128; }

size_t czlib_pack(
    struct czlib_flow *flow, const unsigned char *plain, size_t count, bool is_end, unsigned char *to, size_t room) {
  flow->stream.next_in = plain;
  flow->stream.avail_in = (unsigned)count;
  flow->stream.next_out = to;
  flow->stream.avail_out = (unsigned)room;
  int result = zlib.pack(&flow->stream, is_end ? finish : sync_flush);
  bool is_good = is_end ? result == stream_end : result == ok && flow->stream.avail_in == 0;
  // Without room left it may not be all.
  return is_good && flow->stream.avail_out > 0 ? room - flow->stream.avail_out : 0;
}

void czlib_end(struct czlib_flow *flow) {
  zlib.end(&flow->stream);
  free(flow);
}
