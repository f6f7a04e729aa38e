// A Bluetooth controller without a radio: hands HCI packets to the kernel through /dev/vhci.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { UNKNOWN_COMMAND = 0x01, DISALLOWED = 0x0C };

// What a make of controller does differently.
struct personality {
  const char *name;
  uint8_t version;           // 8: Bluetooth 4.2, 9: 5.0, 10: 5.1
  bool claims_extended;      // in its supported commands and features
  uint8_t extended_status;   // its answer to extended scan commands, 0: it obeys
  bool keeps_families_apart; // after an extended command no legacy one, and the other way round
  bool refuses_idle_stop;    // stopping a scan that does not run is an error
};

enum family { NO_FAMILY, LEGACY, EXTENDED };

struct scan {
  bool is_on, is_extended, is_active, drops_repeats;
  uint16_t interval, window; // 0.625 ms
};

enum fault { SOUND, FAULTY, FAULTY_UNTIL_RESET, FAULTY_UNTIL_SCAN };

struct controller {
  int fd; // of /dev/vhci; -1: unplugged
  const struct personality *personality;
  uint8_t address[6]; // as written
  enum family family; // of the first scan or advertising command since the reset
  struct scan scan;
  enum fault hung;   // answers no command, reports nothing
  enum fault silent; // answers, but reports nothing
  enum fault empty;  // its reports carry no data
};

// commands.c
const struct personality *personality_named(const char *name);
void reset(struct controller *c);
void obey(struct controller *c, uint16_t opcode, const uint8_t *parameters, size_t length);

// controller.c
void send_event(struct controller *c, uint8_t code, const uint8_t *parameters, size_t length);

// air.c: what is being sent around the controller
bool add_beacon(const char *line); // "NAME ADDRESS RSSI INTERVAL_MS LOSS_PERCENT HEX"
void remove_beacon(const char *name);
void forget_repeats(void);
void set_crowd(unsigned rate); // a second
void transmit(struct controller *c, double now);
double next_transmission(double now); // seconds until then, 60 at most
void count_reports(unsigned long *beacons, unsigned long *crowd);
size_t from_hex(const char *text, uint8_t *bytes, size_t most);
