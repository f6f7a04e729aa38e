// The beacons around the controller, and a crowd of strangers whose addresses never repeat.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "controller.h"

enum { MOST_BEACONS = 64, MOST_DATA = 31, MOST_AT_ONCE = 100 };

static struct beacon {
  char name[32];
  uint8_t address[6]; // as written
  int rssi, loss;
  double interval, due; // seconds
  uint8_t data[MOST_DATA], length;
  bool is_repeat; // reported since the scan began
} beacons[MOST_BEACONS];
static int count;

static unsigned crowd_rate;
static double crowd_since, crowd_sent;
static unsigned long beacon_reports, crowd_reports;

// The same lots in each run.
static uint64_t lots = 0x9E3779B97F4A7C15;
static uint32_t draw(void) {
  lots ^= lots << 13, lots ^= lots >> 7, lots ^= lots << 17;
  return lots >> 32;
}

size_t from_hex(const char *text, uint8_t *bytes, size_t most) {
  size_t length = 0;
  unsigned byte;
  while (length < most && sscanf(text + 2 * length, "%2x", &byte) == 1) bytes[length++] = byte;
  return length;
}

static struct beacon *named(const char *name) {
  for (int i = 0; i < count; i++)
    if (strcmp(beacons[i].name, name) == 0) return &beacons[i];
  return NULL;
}

bool add_beacon(const char *line) {
  struct beacon new = {0};
  char address[16], data[2 * MOST_DATA + 2];
  double milliseconds;
  int fields = sscanf(line, "%31s %15s %d %lf %d %63s", new.name, address, &new.rssi, &milliseconds, &new.loss, data);
  if (fields != 6 || milliseconds < 1 || from_hex(address, new.address, 6) != 6) return false;
  new.interval = milliseconds / 1000;
  new.length = from_hex(data, new.data, MOST_DATA);
  struct beacon *place = named(new.name);
  if (place == NULL && count == MOST_BEACONS) return false;
  if (place == NULL) place = &beacons[count++];
  *place = new;
  return true;
}

void remove_beacon(const char *name) {
  struct beacon *place = named(name);
  if (place != NULL) *place = beacons[--count];
}

void forget_repeats(void) {
  for (int i = 0; i < count; i++) beacons[i].is_repeat = false;
}

void set_crowd(unsigned rate) {
  crowd_rate = rate;
  crowd_since = crowd_sent = 0;
  // With one processor the kernel and the daemon go first: a crowd that nobody can keep up with would
  // otherwise pile up in front of them, which no real controller lets happen.
  setpriority(PRIO_PROCESS, 0, rate > 0 ? 19 : 0);
}

static void report(struct controller *c, const uint8_t *address, int rssi, const uint8_t *data, uint8_t length) {
  uint8_t event[64], *p = event;
  if (c->empty) length = 0;
  bool is_extended = c->scan.is_extended;
  *p++ = is_extended ? 0x0D : 0x02;
  *p++ = 1;                         // reports
  *p++ = is_extended ? 0x10 : 0x03; // legacy, not connectable
  if (is_extended) *p++ = 0;
  *p++ = 1; // random address
  for (int i = 5; i >= 0; i--) *p++ = address[i];
  if (is_extended) {
    *p++ = 1, *p++ = 0, *p++ = 0xFF, *p++ = 127; // PHYs, set, power
    *p++ = rssi;
    memset(p, 0, 9); // period and target
    p += 9;
  }
  *p++ = length;
  memcpy(p, data, length);
  p += length;
  if (!is_extended) *p++ = rssi;
  send_event(c, 0x3E, event, p - event);
}

// A receiver listens for `window` of each `interval`.
static bool is_listening(const struct scan *scan) {
  return scan->window >= scan->interval || draw() % scan->interval < scan->window;
}

static bool can_report(const struct controller *c) {
  return c->fd >= 0 && c->scan.is_on && !c->hung && !c->silent;
}

static void send_beacons(struct controller *c, double now) {
  for (struct beacon *b = beacons; b < beacons + count; b++) {
    if (b->due > now) continue;
    // Bluetooth adds up to 10 ms to each interval, so that two beacons do not keep colliding.
    b->due = (b->due > now - 1 ? b->due : now) + b->interval + draw() % 1000 * 1e-5;
    bool is_lost = (int)(draw() % 100) < b->loss || (b->is_repeat && c->scan.drops_repeats);
    if (is_lost || !can_report(c) || !is_listening(&c->scan)) continue;
    b->is_repeat = true;
    if (!c->empty) beacon_reports++;
    report(c, b->address, b->rssi, b->data, b->length);
  }
}

// Phones, tags and Eddystone: like an iBeacon to a different degree.
static void send_stranger(struct controller *c) {
  static const uint8_t starts[][6] = {
      {0x1A, 0xFF, 0x4C, 0x00, 0x10, 0x05}, {0x1A, 0xFF, 0x4C, 0x00, 0x02, 0x14},
      {0x1A, 0xFF, 0x06, 0x00, 0x01, 0x09}, {0x03, 0x03, 0xAA, 0xFE, 0x16, 0x16},
  };
  uint8_t address[6], data[MOST_DATA] = {2, 1, 6};
  for (int i = 0; i < 6; i++) address[i] = draw();
  address[0] |= 0xC0;
  memcpy(data + 3, starts[draw() % 4], 6);
  for (int i = 9; i < 30; i++) data[i] = draw();
  report(c, address, -60 - (int)(draw() % 35), data, 30);
  crowd_reports++;
}

static void send_crowd(struct controller *c, double now) {
  if (crowd_rate == 0 || !can_report(c)) {
    crowd_since = 0;
    return;
  }
  if (crowd_since == 0) crowd_since = now, crowd_sent = 0;
  double owed = (now - crowd_since) * crowd_rate - crowd_sent;
  for (int i = 0; i < MOST_AT_ONCE && i < owed; i++, crowd_sent++) send_stranger(c);
  // What this machine could not send in time is not made up for.
  if (owed > crowd_rate / 10.0) crowd_since = 0;
}

void transmit(struct controller *c, double now) {
  send_beacons(c, now);
  send_crowd(c, now);
}

double next_transmission(double now) {
  double wait = crowd_rate > 0 ? 0.002 : 60;
  for (int i = 0; i < count; i++)
    if (beacons[i].due - now < wait) wait = beacons[i].due - now;
  return wait < 0 ? 0 : wait;
}

void count_reports(unsigned long *of_beacons, unsigned long *of_crowd) {
  *of_beacons = beacon_reports;
  *of_crowd = crowd_reports;
}
