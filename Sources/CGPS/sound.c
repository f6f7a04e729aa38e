// libgps trusts what it reads. Version 3.22 was seen to stop answering, and to take half a line for a
// whole one. So every line is walked once, strictly, before libgps sees it. This reads the bytes only;
// it decides nothing about values.
#include "sound.h"

#include <stddef.h>
#include <string.h>

// libgps keeps a value in 512 bytes; a number of ours is shorter than this.
enum { LONGEST_TOKEN = 40, MOST_EXPONENT_DIGITS = 3 };

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

static const char *after_spaces(const char *p)
{
    while (*p == ' ')
        p++;
    return p;
}

// libgps knows no escapes in names: one there would make it see another line than we do.
static const char *after_string(const char *p, bool may_escape)
{
    if (*p++ != '"')
        return NULL;
    for (; *p != '"'; p++) {
        if (*p == '\\') {
            if (!may_escape)
                return NULL;
            p++;
        }
        if ((unsigned char)*p < ' ')
            return NULL;
    }
    return p + 1;
}

// A number, true, false, null or nan.
static const char *after_token(const char *p)
{
    const char *start = p;
    for (; is_digit(*p) || is_letter(*p) || *p == '+' || *p == '-' || *p == '.'; p++) {
        if ((*p != 'e' && *p != 'E') || p == start || is_letter(p[-1]))
            continue;
        const char *digits = p + 1 + (p[1] == '+' || p[1] == '-');
        int count = 0;
        while (is_digit(digits[count]))
            if (++count > MOST_EXPONENT_DIGITS)
                return NULL;
    }
    return p > start && p - start <= LONGEST_TOKEN ? p : NULL;
}

static const char *after_value(const char *p, int depth);

static const char *after_array(const char *p, int depth)
{
    if (depth <= 0)
        return NULL;
    p = after_spaces(p + 1);
    if (*p == ']')
        return p + 1;
    for (;;) {
        if ((p = after_value(p, depth - 1)) == NULL)
            return NULL;
        p = after_spaces(p);
        if (*p == ']')
            return p + 1;
        if (*p != ',')
            return NULL;
        p = after_spaces(p + 1);
    }
}

const char *hw_sound_end(const char *p, int depth)
{
    if (depth <= 0 || *p != '{')
        return NULL;
    p = after_spaces(p + 1);
    if (*p == '}')
        return p + 1;
    for (;;) {
        if ((p = after_string(p, false)) == NULL)
            return NULL;
        p = after_spaces(p);
        if (*p != ':' || (p = after_value(after_spaces(p + 1), depth - 1)) == NULL)
            return NULL;
        p = after_spaces(p);
        if (*p == '}')
            return p + 1;
        if (*p != ',')
            return NULL;
        p = after_spaces(p + 1);
    }
}

static const char *after_value(const char *p, int depth)
{
    switch (*p) {
    case '"': return after_string(p, true);
    case '{': return hw_sound_end(p, depth);
    case '[': return after_array(p, depth);
    default: return after_token(p);
    }
}

bool hw_is_sound(const char *text, int depth)
{
    const char *end = hw_sound_end(text, depth);
    return end != NULL && *end == 0;
}

static bool is_kept(const char *name, size_t length, const char *const *kept)
{
    for (; *kept != NULL; kept++)
        if (strncmp(*kept, name, length) == 0 && (*kept)[length] == 0)
            return true;
    return false;
}

void hw_keep(char *text, const char *const *kept)
{
    char *out = text + 1;
    const char *p = after_spaces(text + 1);
    while (*p != '}') {
        const char *start = p;
        const char *name_end = after_string(p, false);
        p = after_value(after_spaces(after_spaces(name_end) + 1), 1);
        if (is_kept(start + 1, (size_t)(name_end - start - 2), kept)) {
            size_t length = (size_t)(p - start);
            if (out != text + 1)
                *out++ = ',';
            memmove(out, start, length);
            out += length;
        }
        p = after_spaces(p);
        if (*p == ',')
            p = after_spaces(p + 1);
    }
    memcpy(out, "}", 2);
}

static bool is_time(const char *p)
{
    static const char form[] = "dddd-dd-ddTdd:dd:dd";
    for (const char *f = form; *f != 0; f++, p++)
        if (*f == 'd' ? !is_digit(*p) : *p != *f)
            return false;
    if (*p == '.')
        for (p++; is_digit(*p);)
            p++;
    return p[0] == 'Z' && p[1] == '"';
}

static int pair(const char *p) { return (p[0] - '0') * 10 + (p[1] - '0'); }

static bool is_possible(const char *p)
{
    static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int year = pair(p) * 100 + pair(p + 2), month = pair(p + 5), day = pair(p + 8);
    bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    if (month < 1 || month > 12 || day < 1 || day > lengths[month - 1] + (month == 2 && is_leap))
        return false;
    // A leap second is one.
    return pair(p + 11) < 24 && pair(p + 14) < 60 && pair(p + 17) <= 60;
}

bool hw_times_are_possible(const char *text)
{
    static const char name[] = "\"time\":\"";
    while ((text = strstr(text, name)) != NULL) {
        text += sizeof name - 1;
        if (is_time(text) && !is_possible(text))
            return false;
    }
    return true;
}

bool hw_times_are_sound(const char *text)
{
    static const char name[] = "\"time\":\"";
    while ((text = strstr(text, name)) != NULL) {
        text += sizeof name - 1;
        if (!is_time(text))
            return false;
    }
    return true;
}
