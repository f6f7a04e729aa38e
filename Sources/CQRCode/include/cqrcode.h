// The part of libqrencode that Homeward uses; the library is loaded when a picture is first asked for. The prototypes are
// this file's own: where the library is not there, a person types the code.
#pragma once

#include <stdbool.h>

/// Loads the library, once. NULL: it is there; else the loader's own words, which stay valid until the next
/// call.
const char *cqrcode_load(void);

// Only after cqrcode_load said NULL.

/// Bytes as a QR code of level M, which still reads with every seventh module wrong, in the smallest version that has
/// room for them. NULL: no version has, or there is no memory.
struct cqrcode *cqrcode_make(const unsigned char *bytes, int count);
void cqrcode_free(struct cqrcode *code);

/// Modules of a side, without the quiet zone around them.
int cqrcode_side(const struct cqrcode *code);
/// `row` and `column` count from 0 and are smaller than the side.
bool cqrcode_is_dark(const struct cqrcode *code, int row, int column);
