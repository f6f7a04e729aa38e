// The only file that sees libgps' structure. Compiles with gpsd 3.22 (API 11) and 3.25 (API 14).
#include "cgps.h"

#include <gps.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plain.h"
#include "sound.h"

struct hw_gps {
    struct gps_data_t data;
};

static const char opening[] = "{\"class\":\"";
enum { OPENING = sizeof opening - 1 };

static const struct {
    const char *name;
    int class;
} classes[] = {
    {"TPV\"", HW_GPS_TPV},         {"SKY\"", HW_GPS_SKY},         {"DEVICE\"", HW_GPS_DEVICE},
    {"DEVICES\"", HW_GPS_DEVICES}, {"VERSION\"", HW_GPS_VERSION}, {"ERROR\"", HW_GPS_ERROR},
    {"GST\"", HW_GPS_GST},
};

hw_gps *hw_gps_new(void)
{
    hw_gps *decoder = calloc(1, sizeof *decoder);
    if (decoder != NULL)
        decoder->data.gps_fd = -1;
    return decoder;
}

void hw_gps_free(hw_gps *decoder)
{
    free(decoder);
}

int hw_gps_classify(const char *line, size_t length)
{
    if (length < OPENING + 2 || memcmp(line, opening, OPENING) != 0)
        return HW_GPS_REFUSED;
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        size_t name = strlen(classes[i].name);
        if (length > OPENING + name && memcmp(line + OPENING, classes[i].name, name) == 0)
            return classes[i].class;
    }
    return HW_GPS_OTHER;
}

static double finite_or_nan(double number)
{
    return isfinite(number) ? number : NAN;
}

void hw_gps_clear(struct hw_gps_report *report)
{
    *report = (struct hw_gps_report){
        .time = NAN, .latitude = NAN, .longitude = NAN, .altitude = NAN,
        .eph = NAN, .epx = NAN, .epy = NAN, .epv = NAN,
        .speed = NAN, .eps = NAN, .track = NAN, .hdop = NAN, .north = NAN, .east = NAN,
        .used = -1, .seen = -1, .device = "", .driver = "", .text = "",
    };
}

// gps_unpack always answers 0, so what it is to fill is emptied first and looked at afterwards.
static void unpack(hw_gps *decoder, char *line)
{
    decoder->data.set = 0;
    decoder->data.dev.path[0] = 0;
    (void)gps_unpack(line, &decoder->data);
}

// Everything else is cut out before libgps sees the line: a member of a type that it does not expect would lose
// those behind it, and a later gpsd may give any member another type. It also saves a seventh of the time.
static const char *const position_members[] = {
    "class", "device", "mode", "time", "lat", "lon", "altMSL", "eph", "epx", "epy", "epv", "speed", "eps",
    "track", NULL,
};

// libgps does not see it: it only marks, and a later gpsd may give it another type.
static int status_of(const char *line)
{
    static const char name[] = "\"status\":";
    const char *value = strstr(line, name);
    if (value == NULL)
        return 0;
    value += sizeof name - 1;
    while (*value == ' ')
        value++;
    return value[0] >= '0' && value[0] <= '9' && (value[1] < '0' || value[1] > '9') ? value[0] - '0' : 0;
}

static void take_position(hw_gps *decoder, const char *line, struct hw_gps_report *report)
{
    const struct gps_fix_t *fix = &decoder->data.fix;
    report->device = decoder->data.dev.path;
    // A mode that is not one is no fix.
    report->mode = fix->mode >= MODE_NOT_SEEN && fix->mode <= MODE_3D ? fix->mode : MODE_NO_FIX;
    report->is_impossible = !hw_times_are_possible(line);
    // libgps answers 0 for "no time", and reads whatever a half date leaves.
    if (!report->is_impossible && fix->time.tv_sec != 0 && fix->time.tv_nsec >= 0 && fix->time.tv_nsec < 1000000000L
        && hw_times_are_sound(line))
        report->time = (double)fix->time.tv_sec + (double)fix->time.tv_nsec / 1e9;
    report->latitude = finite_or_nan(fix->latitude);
    report->longitude = finite_or_nan(fix->longitude);
    report->altitude = finite_or_nan(fix->altMSL);
    report->eph = finite_or_nan(fix->eph);
    report->epx = finite_or_nan(fix->epx);
    report->epy = finite_or_nan(fix->epy);
    report->epv = finite_or_nan(fix->epv);
    report->speed = finite_or_nan(fix->speed);
    report->eps = finite_or_nan(fix->eps);
    report->track = finite_or_nan(fix->track);
}

static void take_sky(hw_gps *decoder, struct hw_gps_report *report)
{
    report->device = decoder->data.dev.path;
    report->hdop = finite_or_nan(decoder->data.dop.hdop);
}

static int count(const char *text, const char *piece)
{
    int found = 0;
    while ((text = strstr(text, piece)) != NULL) {
        found++;
        text++;
    }
    return found;
}

// libgps 3.22 counts the entries, 3.25 believes "nSat" and "uSat", which 3.22 does not send.
static void count_satellites(const char *line, struct hw_gps_report *report)
{
    const char *list = strstr(line, "\"satellites\":[");
    if (list == NULL)
        return;
    report->used = count(list, "\"used\":true");
    report->seen = count(list, "\"PRN\":");
}

// gpsd writes the dilutions of precision before the satellites. Without those the line is a tenth
// as long; only if a gpsd ever writes them the other way round is the whole line decoded.
static void cut_satellites(char *line)
{
    char *list = strstr(line, ",\"satellites\":[");
    if (list != NULL && strstr(list, "\"hdop\":") == NULL)
        strcpy(list, "}");
}

static bool is_alone(const char *line)
{
    return strstr(line + OPENING, "\"class\":") == NULL;
}

static void take_device(hw_gps *decoder, char *line, struct hw_gps_report *report)
{
    // A receiver that gpsd has let go is "activated":0, a number; libgps expects a text there.
    report->is_active =
        strstr(line, "\"activated\":") != NULL && strstr(line, "\"activated\":0") == NULL;
    decoder->data.dev.driver[0] = 0;
    unpack(decoder, line);
    report->device = decoder->data.dev.path;
    report->driver = decoder->data.dev.driver;
}

int hw_gps_unpack(hw_gps *decoder, char *line, size_t length, bool satellites,
                  struct hw_gps_report *report)
{
    int class = hw_gps_classify(line, length);
    hw_gps_clear(report);
    if (class == HW_GPS_TPV) {
        if (hw_plain_position(line, length, report))
            return class;
        hw_gps_clear(report);
    }
    // One in another form is worth no more than none.
    if (class == HW_GPS_GST)
        return hw_plain_errors(line, length, report) ? class : HW_GPS_REFUSED;
    // A zero byte inside would hide the rest of the line from everything below.
    if (class <= HW_GPS_OTHER || strlen(line) != length)
        return HW_GPS_REFUSED;
    if (class == HW_GPS_SKY) {
        if (satellites)
            count_satellites(line, report);
        cut_satellites(line);
    }
    if (!hw_is_sound(line, class == HW_GPS_SKY ? 3 : 1) || !is_alone(line))
        return HW_GPS_REFUSED;
    switch (class) {
    case HW_GPS_TPV:
        report->status = status_of(line);
        report->has_ept = strstr(line, "\"ept\":") != NULL;
        hw_keep(line, position_members);
        unpack(decoder, line);
        take_position(decoder, line, report);
        break;
    case HW_GPS_SKY:
        unpack(decoder, line);
        take_sky(decoder, report);
        break;
    case HW_GPS_DEVICE:
        take_device(decoder, line, report);
        break;
    case HW_GPS_VERSION:
        decoder->data.version.release[0] = 0;
        unpack(decoder, line);
        report->text = decoder->data.version.release;
        break;
    case HW_GPS_ERROR:
        decoder->data.error[0] = 0;
        unpack(decoder, line);
        report->text = decoder->data.error;
        break;
    default:
        return HW_GPS_REFUSED;
    }
    return class;
}

bool hw_gps_next_device(hw_gps *decoder, char **cursor, struct hw_gps_report *report)
{
    static const char start[] = "{\"class\":\"DEVICE\",";
    hw_gps_clear(report);
    char *device = strstr(*cursor, start);
    const char *sound = NULL;
    while (device != NULL && (sound = hw_sound_end(device, 1)) == NULL)
        device = strstr(device + 1, start);
    if (device == NULL)
        return false;
    char *end = (char *)sound;
    char next = *end;
    *end = 0;
    if (is_alone(device))
        take_device(decoder, device, report);
    *end = next;
    *cursor = end;
    return true;
}
