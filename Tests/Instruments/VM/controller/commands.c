// What a controller answers to each command that Linux sends.
#include <string.h>

#include "controller.h"

static const struct personality personalities[] = {
    {"5.0", 9, true, 0, false, false},
    {"5.0-strict", 9, true, 0, true, false},
    {"4.2", 8, false, UNKNOWN_COMMAND, false, false},
    {"4.2-no-idle-stop", 8, false, UNKNOWN_COMMAND, false, true},
    {"5.0-without-extended", 9, true, UNKNOWN_COMMAND, false, false},
    {"5.1-broken-extended", 10, true, DISALLOWED, false, false},
};

const struct personality *personality_named(const char *name) {
  for (size_t i = 0; i < sizeof personalities / sizeof *personalities; i++)
    if (strcmp(personalities[i].name, name) == 0) return &personalities[i];
  return NULL;
}

enum {
  RESET = 0x0C03,
  READ_VERSION = 0x1001,
  READ_COMMANDS = 0x1002,
  READ_ADDRESS = 0x1009,
  READ_LE_FEATURES = 0x2003,
  FIRST_LEGACY = 0x2006, // advertising, scanning, connecting
  SET_SCAN = 0x200B,
  ENABLE_SCAN = 0x200C,
  LAST_LEGACY = 0x200D,
  FIRST_EXTENDED = 0x2035,
  SET_EXTENDED_SCAN = 0x2041,
  ENABLE_EXTENDED_SCAN = 0x2042,
  LAST_EXTENDED = 0x204A,
};

// Answers that never change, after the status byte.
static const struct {
  uint16_t opcode;
  uint8_t length, bytes[8];
} constants[] = {
    {0x1003, 8, {0, 0, 0, 0, 0x60}},    // features: LE, no BR/EDR
    {0x1005, 7, {0}},                   // no classic buffers
    {0x0C14, 0, {0}},                   // name: see send_constant
    {0x0C23, 3, {0}},                   // class of device
    {0x0C25, 2, {0}},                   // voice setting
    {0x2002, 3, {251, 0, 8}},           // LE buffers
    {0x2007, 1, {0}},                   // advertising power
    {0x200F, 1, {16}},                  // accept list
    {0x2018, 8, {4, 8, 15, 16, 23, 42}}, // random number
    {0x201C, 8, {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 3}}, // states
    {0x2023, 4, {27, 0, 0x48, 1}},      // default data length
    {0x202A, 1, {16}},                  // resolving list
    {0x202F, 8, {251, 0, 0x48, 8, 251, 0, 0x48, 8}},
    {0x2036, 1, {0}},                   // power chosen for an extended advertisement
    {0x203A, 2, {251, 0}},              // longest advertisement
    {0x203B, 1, {4}},                   // advertising sets
    {0x204B, 2, {0xEC, 10}},            // transmit power
};

// Commands that succeed and change nothing that is looked at here.
static const uint16_t accepted[] = {
    0x0C01, 0x0C05, 0x0C13, 0x0C16, 0x0C18, 0x0C24, 0x0C56, 0x0C63, 0x0C6D, 0x2001, 0x2005, 0x2006,
    0x2008, 0x2009, 0x200A, 0x200D, 0x2010, 0x2011, 0x2012, 0x2024, 0x2027, 0x2028, 0x2029, 0x202D,
    0x202E, 0x2031, 0x2035, 0x2037, 0x2038, 0x2039, 0x203C, 0x203D, 0x204E,
};

static void complete(struct controller *c, uint16_t opcode, uint8_t status, const void *rest, size_t length) {
  uint8_t event[4 + 248] = {1, opcode & 0xFF, opcode >> 8, status};
  if (length > 0) memcpy(event + 4, rest, length);
  send_event(c, 0x0E, event, 4 + length);
}

static void send_commands(struct controller *c) {
  uint8_t bits[64] = {0};
  bits[5] = 0xC0;  // reset, event mask
  bits[14] = 0xA8; // version, features, buffers
  bits[15] = 0x02; // address
  bits[25] = 0xF7, bits[26] = 0xFF, bits[27] = 0xFF, bits[28] = 0x7F;
  if (c->personality->claims_extended) bits[35] = 0x60, bits[36] = 0xF2, bits[37] = 0x7F;
  complete(c, READ_COMMANDS, 0, bits, sizeof bits);
}

static void send_constant(struct controller *c, uint16_t opcode) {
  static const uint8_t name[248] = "virtual";
  if (opcode == 0x0C14) return complete(c, opcode, 0, name, sizeof name);
  for (size_t i = 0; i < sizeof constants / sizeof *constants; i++)
    if (constants[i].opcode == opcode) return complete(c, opcode, 0, constants[i].bytes, constants[i].length);
  for (size_t i = 0; i < sizeof accepted / sizeof *accepted; i++)
    if (accepted[i] == opcode) return complete(c, opcode, 0, NULL, 0);
  complete(c, opcode, UNKNOWN_COMMAND, NULL, 0);
}

static uint8_t set_scan(struct controller *c, const uint8_t *p, bool is_extended) {
  if (c->scan.is_on) return DISALLOWED;
  // Extended: own address, policy and PHYs come first; only the first PHY is looked at.
  if (is_extended) p += 3;
  c->scan.is_extended = is_extended;
  c->scan.is_active = p[0] == 1;
  c->scan.interval = p[1] | p[2] << 8;
  c->scan.window = p[3] | p[4] << 8;
  return 0;
}

static uint8_t enable_scan(struct controller *c, const uint8_t *p, bool is_extended) {
  bool is_on = p[0] == 1;
  if (!is_on && !c->scan.is_on && c->personality->refuses_idle_stop) return DISALLOWED;
  if (is_on) {
    forget_repeats();
    if (c->silent == FAULTY_UNTIL_SCAN) c->silent = SOUND;
  }
  c->scan.is_on = is_on;
  c->scan.is_extended = is_extended;
  c->scan.drops_repeats = p[1] != 0;
  return 0;
}

static uint8_t scan_command(struct controller *c, uint16_t opcode, const uint8_t *p) {
  bool is_extended = opcode >= FIRST_EXTENDED;
  if (is_extended && c->personality->extended_status) return c->personality->extended_status;
  if (opcode == SET_SCAN || opcode == SET_EXTENDED_SCAN) return set_scan(c, p, is_extended);
  return enable_scan(c, p, is_extended);
}

// Whether the command belongs to the family that is not in use.
static bool mixes_families(struct controller *c, uint16_t opcode) {
  enum family family = NO_FAMILY;
  if (opcode >= FIRST_LEGACY && opcode <= LAST_LEGACY) family = LEGACY;
  if (opcode >= FIRST_EXTENDED && opcode <= LAST_EXTENDED) family = EXTENDED;
  if (family == NO_FAMILY || !c->personality->keeps_families_apart) return false;
  if (c->family == NO_FAMILY) c->family = family;
  return c->family != family;
}

static void mend(enum fault *fault) {
  if (*fault == FAULTY_UNTIL_RESET) *fault = SOUND;
}

void reset(struct controller *c) {
  mend(&c->hung), mend(&c->silent), mend(&c->empty);
  c->family = NO_FAMILY;
  c->scan = (struct scan){.interval = 16, .window = 16};
}

void obey(struct controller *c, uint16_t opcode, const uint8_t *parameters, size_t length) {
  if (c->hung == FAULTY || (c->hung == FAULTY_UNTIL_RESET && opcode != RESET)) return;
  uint8_t p[64] = {0};
  memcpy(p, parameters, length < sizeof p ? length : sizeof p);
  if (mixes_families(c, opcode)) return complete(c, opcode, DISALLOWED, NULL, 0);
  bool is_extended_only = opcode >= FIRST_EXTENDED && opcode <= LAST_EXTENDED;
  if (is_extended_only && !c->personality->claims_extended)
    return complete(c, opcode, UNKNOWN_COMMAND, NULL, 0);
  switch (opcode) {
  case RESET:
    reset(c);
    return complete(c, opcode, 0, NULL, 0);
  case READ_VERSION: {
    uint8_t v = c->personality->version;
    return complete(c, opcode, 0, (uint8_t[]){v, 0, 0, v, 0xF1, 5, 0, 0}, 8);
  }
  case READ_COMMANDS: return send_commands(c);
  case READ_ADDRESS: {
    uint8_t reversed[6];
    for (int i = 0; i < 6; i++) reversed[i] = c->address[5 - i];
    return complete(c, opcode, 0, reversed, 6);
  }
  case READ_LE_FEATURES:
    // Encryption; 2M PHY and extended advertising.
    return complete(c, opcode, 0, (uint8_t[8]){1, c->personality->claims_extended ? 0x11 : 0}, 8);
  case SET_SCAN:
  case ENABLE_SCAN:
  case SET_EXTENDED_SCAN:
  case ENABLE_EXTENDED_SCAN: return complete(c, opcode, scan_command(c, opcode, p), NULL, 0);
  default: send_constant(c, opcode);
  }
}
