#pragma once
#include <stdbool.h>

// Is the zero-terminated text one JSON object, built as gpsd builds them? Deeper than `depth`
// objects and arrays is refused.
bool hw_is_sound(const char *text, int depth);

// Where the object that begins at `text` ends (one past its brace); NULL when it is not sound.
const char *hw_sound_end(const char *text, int depth);

// Have all "time" values of the text the form 2026-11-21T12:35:07.000Z?
bool hw_times_are_sound(const char *text);

// Are they times that there are? Of "time" values that have the form; libgps takes 31 February for 3 March.
bool hw_times_are_possible(const char *text);

// Takes out, in place, every member of a flat object whose name is not among `kept` (which ends with
// NULL). The text is one that hw_is_sound has taken with depth 1.
void hw_keep(char *text, const char *const *kept);
