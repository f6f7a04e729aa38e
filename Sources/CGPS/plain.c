// A position report in the form that gpsd writes it, read in one pass: a tenth of what libgps and the validator take
// (docs/decisions/gpsd-lines.md has the figures). What is not in that form goes to libgps, which stays the measure: the
// tests hold both against each other over recordings of real receivers.
#include "plain.h"

#include <string.h>

// More than a double holds exactly, or more than anything gpsd says, is libgps' business.
enum { MOST_DIGITS = 15, LONGEST_DEVICE = 100 };

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

// A name of at most seven letters as one number: comparing those needs no table.
#define NAME(a, b, c, d, e, f) \
    ((uint64_t)(a) | (uint64_t)(b) << 8 | (uint64_t)(c) << 16 | (uint64_t)(d) << 24 | (uint64_t)(e) << 32 \
     | (uint64_t)(f) << 40)

static const double powers[MOST_DIGITS + 1] = {
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
};

// Both are exact, so their quotient is the nearest double there is. NULL: not the plain form.
static const char *plain_number(const char *p, double *value)
{
    bool is_negative = *p == '-';
    uint64_t digits = 0;
    int count = 0, decimals = 0;
    p += is_negative;
    if (!is_digit(*p))
        return NULL;
    for (; is_digit(*p); p++, count++)
        digits = digits * 10 + (uint64_t)(*p - '0');
    if (*p == '.') {
        if (!is_digit(*++p))
            return NULL;
        for (; is_digit(*p); p++, count++, decimals++)
            digits = digits * 10 + (uint64_t)(*p - '0');
    }
    if (count > MOST_DIGITS)
        return NULL;
    double number = (double)digits / powers[decimals];
    *value = is_negative ? -number : number;
    return p;
}

static int pair(const char *p) { return (p[0] - '0') * 10 + (p[1] - '0'); }

// Days since 1970-01-01, years 1972 to 2099: every fourth one is a leap year. timegm would read the time zone's
// file and keep it, and take 55 ns in place of 3; the tests hold this against it day by day.
static int64_t days(int year, int month, int day)
{
    static const short before[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
    bool is_leap = year % 4 == 0;
    return (year - 1970) * 365 + (year - 1969) / 4 + before[month - 1] + (is_leap && month > 2) + day - 1;
}

// "2026-11-22T08:00:50.000Z", quotes and all.
static const char *plain_time(const char *p, double *seconds)
{
    static const char form[] = "\"dddd-dd-ddTdd:dd:dd";
    for (int at = 0; form[at] != 0; at++)
        if (form[at] == 'd' ? !is_digit(p[at]) : p[at] != form[at])
            return NULL;
    int year = pair(p + 1) * 100 + pair(p + 3), month = pair(p + 6), day = pair(p + 9);
    int hour = pair(p + 12), minute = pair(p + 15), second = pair(p + 18);
    if (year < 1972 || year > 2099 || month < 1 || month > 12 || day < 1 || day > 28 + 3 * (month != 2)
        || (day > 30 && (month == 4 || month == 6 || month == 9 || month == 11)) || hour > 23 || minute > 59
        || second > 59)
        return NULL;
    p += sizeof form - 1;
    int64_t nanoseconds = 0, unit = 100000000;
    if (*p == '.') {
        if (!is_digit(p[1]))
            return NULL;
        for (p++; is_digit(*p); p++, unit /= 10) {
            if (unit == 0)
                return NULL;
            nanoseconds += (*p - '0') * unit;
        }
    }
    if (p[0] != 'Z' || p[1] != '"')
        return NULL;
    int64_t whole = days(year, month, day) * 86400 + hour * 3600 + minute * 60 + second;
    *seconds = (double)whole + (double)nanoseconds / 1e9;
    return p + 2;
}

// Behind the closing quote; an escape, a control character or the line's end makes it no plain text.
static const char *plain_text(const char *p)
{
    if (*p++ != '"')
        return NULL;
    for (; *p != '"'; p++)
        if (*p == '\\' || (unsigned char)*p < ' ')
            return NULL;
    return p + 1;
}

static double *member(struct hw_gps_report *report, uint64_t name)
{
    switch (name) {
    case NAME('l', 'a', 't', 0, 0, 0): return &report->latitude;
    case NAME('l', 'o', 'n', 0, 0, 0): return &report->longitude;
    case NAME('a', 'l', 't', 'M', 'S', 'L'): return &report->altitude;
    case NAME('e', 'p', 'h', 0, 0, 0): return &report->eph;
    case NAME('e', 'p', 'x', 0, 0, 0): return &report->epx;
    case NAME('e', 'p', 'y', 0, 0, 0): return &report->epy;
    case NAME('e', 'p', 'v', 0, 0, 0): return &report->epv;
    case NAME('s', 'p', 'e', 'e', 'd', 0): return &report->speed;
    case NAME('e', 'p', 's', 0, 0, 0): return &report->eps;
    case NAME('t', 'r', 'a', 'c', 'k', 0): return &report->track;
    default: return NULL;
    }
}

// The member at p, behind its comma. What nobody asks for is only passed over.
static char *plain_member(char *p, struct hw_gps_report *report, bool *has_mode)
{
    uint64_t name = 0;
    int length = 0;
    double number;
    const char *end;
    if (*p++ != '"')
        return NULL;
    for (; (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || *p == '_' || is_digit(*p); p++, length++)
        if (length < 7)
            name |= (uint64_t)*p << 8 * length;
    if (length == 0 || p[0] != '"' || p[1] != ':')
        return NULL;
    p += 2;
    if (length > 6)
        name = 0;
    if (name == NAME('e', 'p', 't', 0, 0, 0))
        report->has_ept = true;
    if (name == NAME('t', 'i', 'm', 'e', 0, 0)) {
        if (report->time == report->time || (end = plain_time(p, &number)) == NULL)
            return NULL;
        report->time = number;
    } else if (name == NAME('d', 'e', 'v', 'i', 'c', 'e')) {
        if (*report->device != 0 || (end = plain_text(p)) == NULL || end - p > LONGEST_DEVICE)
            return NULL;
        report->device = p + 1;
    } else if (name == NAME('c', 'l', 'a', 's', 's', 0)) {
        return NULL;
    } else if (*p == '"') {
        if (member(report, name) != NULL)
            return NULL;
        end = plain_text(p);
    } else if ((end = plain_number(p, &number)) != NULL) {
        double *slot = member(report, name);
        if (name == NAME('m', 'o', 'd', 'e', 0, 0)) {
            if (*has_mode || number > 3 || p[1] == '.' || *p == '-')
                return NULL;
            *has_mode = true;
            report->mode = (int)number;
        } else if (name == NAME('s', 't', 'a', 't', 'u', 's')) {
            report->status = is_digit(*p) && !is_digit(p[1]) ? *p - '0' : 0;
        } else if (slot != NULL) {
            if (*slot == *slot)
                return NULL;
            *slot = number;
        }
    }
    return (char *)end;
}

static bool plain_line(char *line, size_t length, struct hw_gps_report *report, bool *has_mode)
{
    // Of both classes.
    enum { OPENING = sizeof "{\"class\":\"TPV\"" - 1 };
    char *p = line + OPENING;
    if (length <= OPENING)
        return false;
    while (*p == ',')
        if ((p = plain_member(p + 1, report, has_mode)) == NULL)
            return false;
    return p[0] == '}' && p + 1 == line + length;
}

static void end_device(struct hw_gps_report *report)
{
    // It is known to be followed by a quote.
    if (*report->device != 0)
        *strchr(report->device, '"') = 0;
}

bool hw_plain_position(char *line, size_t length, struct hw_gps_report *report)
{
    static const char opening[] = "{\"class\":\"TPV\"";
    bool has_mode = false;
    if (length < sizeof opening || memcmp(line, opening, sizeof opening - 1) != 0
        || !plain_line(line, length, report, &has_mode) || !has_mode)
        return false;
    end_device(report);
    return true;
}

bool hw_plain_errors(char *line, size_t length, struct hw_gps_report *report)
{
    bool has_mode = false;
    if (!plain_line(line, length, report, &has_mode))
        return false;
    end_device(report);
    report->north = report->latitude;
    report->east = report->longitude;
    return true;
}
