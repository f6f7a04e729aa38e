#pragma once
#include <stdint.h>

#include "cgps.h"

/// Reads a TPV line in gpsd's own plain form into a cleared report (`hw_gps_clear`); false where it is
/// anything else, which libgps is to decide about: the line is as it was then, but the report has to be
/// cleared again. The device's name is ended in the line itself. line[length] must be 0.
bool hw_plain_position(char *line, size_t length, struct hw_gps_report *report);

/// The same of a GST line, whose "lat" and "lon" are errors; libgps has no say in it.
bool hw_plain_errors(char *line, size_t length, struct hw_gps_report *report);
