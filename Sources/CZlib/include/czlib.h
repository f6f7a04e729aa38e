// The part of zlib that Homeward needs, which is loaded when it is first asked for. The prototypes are this file's own.
// Without the library, answers are longer.
#pragma once

#include <stdbool.h>
#include <stddef.h>

/// Bytes in pieces, in the form of gzip; what was packed before is made use of later.
struct czlib_flow;

/// NULL: there is no such library, or no memory. `is_long`: it goes on for as long as a page is open, and takes 40 kB
/// in place of 270 kB.
struct czlib_flow *czlib_begin(bool is_long);

/// Bytes that `count` plain bytes, and the end, need at most.
size_t czlib_room(size_t count);

/// Packs these bytes to `to`: all of them can be unpacked by who has everything until now. `is_end`: nothing follows.
/// The number of bytes there; 0: it has failed, and nothing more can be packed.
size_t czlib_pack(
    struct czlib_flow *flow, const unsigned char *plain, size_t count, bool is_end, unsigned char *to, size_t room);

void czlib_end(struct czlib_flow *flow);
