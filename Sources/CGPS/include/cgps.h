#pragma once
// libgps' structure has unions and bit-fields of changing layout; Swift sees only this summary.
#include <stdbool.h>
