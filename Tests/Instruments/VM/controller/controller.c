// controller PERSONALITY ADDRESS: plugs one controller in, takes orders from standard input, tells what it sees.
//
// Orders, one a line:  beacon NAME ADDRESS RSSI INTERVAL_MS LOSS_PERCENT HEX | stop NAME | crowd RATE |
//                      unplug | plug | hang N | silent N | empty N | error | count
//                      (N: 0 sound, 1 faulty, 2 until the next reset, 3 until a scan is started anew)
// It says:             plugged INDEX | command OPCODE PARAMETERS | count BEACONS CROWD | wrong LINE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "controller.h"

enum { COMMAND_PACKET = 1, EVENT_PACKET = 4, VENDOR_PACKET = 0xFF };

static void fail(const char *what) {
  fprintf(stderr, "controller: %s: %s\n", what, strerror(errno));
  exit(1);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec * 1e-9;
}

static void plug(struct controller *c) {
  if (c->fd >= 0) return;
  reset(c);
  c->fd = open("/dev/vhci", O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (c->fd < 0) fail("/dev/vhci");
  if (write(c->fd, (uint8_t[]){VENDOR_PACKET, 0}, 2) != 2) fail("/dev/vhci");
}

static void unplug(struct controller *c) {
  if (c->fd >= 0) close(c->fd);
  c->fd = -1;
}

void send_event(struct controller *c, uint8_t code, const uint8_t *parameters, size_t length) {
  uint8_t packet[3 + 255] = {EVENT_PACKET, code, length};
  memcpy(packet + 3, parameters, length);
  // A kernel that has just closed the device does not take it: neither would it from a real one.
  if (write(c->fd, packet, 3 + length) < 0 && errno == EBADF) fail("write");
}

static void receive(struct controller *c) {
  uint8_t packet[1024];
  ssize_t length = read(c->fd, packet, sizeof packet);
  if (length >= 4 && packet[0] == VENDOR_PACKET) {
    printf("plugged %d\n", packet[2] | packet[3] << 8);
  } else if (length >= 4 && packet[0] == COMMAND_PACKET) {
    uint16_t opcode = packet[1] | packet[2] << 8;
    size_t count = (size_t)length - 4 < packet[3] ? (size_t)length - 4 : packet[3];
    printf("command %04x ", opcode);
    for (size_t i = 0; i < count; i++) printf("%02x", packet[4 + i]);
    printf("\n");
    obey(c, opcode, packet + 4, count);
  }
}

static void tell_counts(void) {
  unsigned long beacons, crowd;
  count_reports(&beacons, &crowd);
  printf("count %lu %lu\n", beacons, crowd);
}

static bool take_switch(struct controller *c, const char *word, const char *value) {
  enum fault *place = strcmp(word, "hang") == 0     ? &c->hung
                      : strcmp(word, "silent") == 0 ? &c->silent
                      : strcmp(word, "empty") == 0  ? &c->empty
                                                    : NULL;
  if (place != NULL) *place = atoi(value);
  return place != NULL;
}

static void take_order(struct controller *c, char *line) {
  char word[16] = "";
  int used = 0;
  sscanf(line, "%15s %n", word, &used);
  const char *rest = line + used;
  if (strcmp(word, "stop") == 0) return remove_beacon(rest);
  if (strcmp(word, "crowd") == 0) return set_crowd(atoi(rest));
  if (strcmp(word, "plug") == 0) return plug(c);
  if (strcmp(word, "unplug") == 0) return unplug(c);
  if (strcmp(word, "error") == 0) return send_event(c, 0x10, (uint8_t[]){0x42}, 1);
  if (strcmp(word, "count") == 0) return tell_counts();
  bool is_known = strcmp(word, "beacon") == 0 ? add_beacon(rest) : take_switch(c, word, rest);
  if (!is_known) printf("wrong %s\n", line);
}

// False at the end of the input.
static bool take_orders(struct controller *c) {
  static char buffer[4096];
  static size_t filled;
  ssize_t length = read(0, buffer + filled, sizeof buffer - 1 - filled);
  if (length <= 0) return false;
  filled += length;
  buffer[filled] = 0;
  char *start = buffer, *end;
  while ((end = strchr(start, '\n')) != NULL) {
    *end = 0;
    take_order(c, start);
    start = end + 1;
  }
  filled = strlen(start);
  memmove(buffer, start, filled + 1);
  return filled < sizeof buffer - 1;
}

int main(int count, char **words) {
  struct controller c = {.fd = -1};
  if (count == 3) c.personality = personality_named(words[1]);
  if (c.personality == NULL || from_hex(words[2], c.address, 6) != 6) {
    fprintf(stderr, "controller PERSONALITY ADDRESS (12 hexadecimal digits)\n");
    return 64;
  }
  setvbuf(stdout, NULL, _IOLBF, 0);
  plug(&c);
  while (true) {
    struct pollfd ready[] = {{0, POLLIN, 0}, {c.fd, POLLIN, 0}};
    int milliseconds = (int)(next_transmission(now()) * 1000 + 0.999);
    if (poll(ready, 2, milliseconds) < 0 && errno != EINTR) fail("poll");
    if (ready[1].revents != 0) receive(&c);
    transmit(&c, now());
    if (ready[0].revents != 0 && !take_orders(&c)) return 0;
  }
}
