#pragma once
// One line of gpsd's protocol in, one flat summary out. libgps decodes it, but for position reports in the
// form that gpsd writes them, which are read in one pass (plain.h); its own structure stays
// behind this header, because it has unions and changes its layout with every version.
#include <stdbool.h>
#include <stddef.h>

typedef struct hw_gps hw_gps;

enum hw_gps_class {
    HW_GPS_REFUSED = -1,  // not a line that libgps can be trusted with
    HW_GPS_OTHER = 0,     // a class that a tracker has no use for
    HW_GPS_TPV,
    HW_GPS_SKY,
    HW_GPS_DEVICE,
    HW_GPS_DEVICES,
    HW_GPS_VERSION,
    HW_GPS_ERROR,
    HW_GPS_GST,
};

/// The report in one line. A number that was absent or not finite is NaN. Degrees, metres, metres a
/// second, seconds since 1970. The texts point into the decoder or the line and live until its next line.
struct hw_gps_report {
    int mode;  // 0 not seen, 1 no fix, 2 two-dimensional, 3 three-dimensional
    double time;
    double latitude, longitude;
    double altitude;  // above mean sea level
    double eph, epx, epy, epv;
    double speed, eps, track;
    double hdop;           // SKY
    double north, east;    // GST: standard deviations of latitude and longitude, metres
    int status;            // TPV: how gpsd says the fix was made, 5 by dead reckoning; 0: it does not say
    bool is_impossible;    // TPV: its time names a day that there is not, and is left out
    bool has_ept;          // TPV: an error of the time, as gpsd gives each report of its own that has a time
    int used, seen;        // SKY that lists satellites, when asked for; else -1
    bool is_active;        // DEVICE: gpsd has it open
    const char *device;    // TPV, SKY, GST, DEVICE; empty where the line names none
    const char *driver;    // DEVICE; empty until gpsd has recognised the receiver
    const char *text;      // VERSION: gpsd's release; ERROR: what gpsd says
};

/// Nil only when there is no memory.
hw_gps *hw_gps_new(void);
void hw_gps_free(hw_gps *decoder);

/// Nothing is known, nothing is named.
void hw_gps_clear(struct hw_gps_report *report);

/// The class of a line, by a look at its first bytes; -1 where it does not begin like gpsd's.
int hw_gps_classify(const char *line, size_t length);

/// Decodes a line of class TPV, SKY, GST, DEVICE, VERSION or ERROR; line[length] must be 0 and the bytes
/// are the decoder's to change. Of a SKY line the satellites cost most: libgps does not see them, and
/// they are only counted when asked for. Answers the class, or -1 when the line was refused.
int hw_gps_unpack(hw_gps *decoder, char *line, size_t length, bool satellites,
                  struct hw_gps_report *report);

/// Decodes the first receiver at or after *cursor in a DEVICES line and moves the cursor behind
/// it; false when there is none left. line[length] must be 0.
bool hw_gps_next_device(hw_gps *decoder, char **cursor, struct hw_gps_report *report);
