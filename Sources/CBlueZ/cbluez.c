#define _GNU_SOURCE
#include "cbluez.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>
#include <bluetooth/hci_lib.h>

_Static_assert(sizeof(struct cbluez_instruction) == sizeof(struct sock_filter), "one layout");

static int closed(int descriptor) {
  int failure = errno;
  close(descriptor);
  errno = failure;
  return -1;
}

int cbluez_open_management(void) {
  int descriptor = socket(AF_BLUETOOTH, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, BTPROTO_HCI);
  if (descriptor < 0) return -1;
  struct sockaddr_hci address = {
      .hci_family = AF_BLUETOOTH, .hci_dev = HCI_DEV_NONE, .hci_channel = HCI_CHANNEL_CONTROL};
  if (bind(descriptor, (struct sockaddr *)&address, sizeof address) != 0) return closed(descriptor);
  return descriptor;
}

int cbluez_open_raw(uint16_t index, int reports) {
  int descriptor = hci_open_dev(index);
  if (descriptor < 0) return -1;
  struct hci_filter filter;
  hci_filter_clear(&filter);
  hci_filter_set_ptype(HCI_EVENT_PKT, &filter);
  hci_filter_set_event(EVT_CMD_COMPLETE, &filter);
  hci_filter_set_event(EVT_CMD_STATUS, &filter);
  if (reports) hci_filter_set_event(EVT_LE_META_EVENT, &filter);
  if (setsockopt(descriptor, SOL_HCI, HCI_FILTER, &filter, sizeof filter) != 0 ||
      fcntl(descriptor, F_SETFL, O_NONBLOCK) != 0 || fcntl(descriptor, F_SETFD, FD_CLOEXEC) != 0)
    return closed(descriptor);
  return descriptor;
}

int cbluez_attach_filter(int descriptor, const struct cbluez_instruction *program, uint16_t count) {
  struct sock_fprog whole = {.len = count, .filter = (struct sock_filter *)program};
  return setsockopt(descriptor, SOL_SOCKET, SO_ATTACH_FILTER, &whole, sizeof whole) == 0;
}

int cbluez_send_command(int descriptor, uint16_t opcode, const uint8_t *parameters, uint8_t count) {
  return hci_send_cmd(
      descriptor, cmd_opcode_ogf(opcode), cmd_opcode_ocf(opcode), count, (void *)parameters);
}

ptrdiff_t cbluez_receive(int descriptor, void *buffer, size_t room) {
  return recv(descriptor, buffer, room, MSG_DONTWAIT);
}

ptrdiff_t cbluez_send(int descriptor, const void *bytes, size_t count) {
  return send(descriptor, bytes, count, MSG_DONTWAIT | MSG_NOSIGNAL);
}

// The system calls themselves: libcap would be one more library for two of them.
static int read_capabilities(struct __user_cap_data_struct sets[2]) {
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  return syscall(SYS_capget, &header, sets) == 0;
}

unsigned cbluez_capabilities(void) {
  struct __user_cap_data_struct sets[2] = {0};
  if (!read_capabilities(sets)) return 0;
  unsigned found = 0;
  if (sets[0].effective & (1u << CAP_NET_ADMIN)) found |= cbluez_net_admin;
  if (sets[0].effective & (1u << CAP_NET_RAW)) found |= cbluez_net_raw;
  return found;
}

int cbluez_keep_capabilities(unsigned kept) {
  struct __user_cap_data_struct sets[2] = {0};
  if (!read_capabilities(sets)) return 0;
  unsigned wanted = 0;
  if (kept & cbluez_net_admin) wanted |= 1u << CAP_NET_ADMIN;
  if (kept & cbluez_net_raw) wanted |= 1u << CAP_NET_RAW;
  wanted &= sets[0].permitted;
  memset(sets, 0, sizeof sets);
  sets[0].effective = sets[0].permitted = wanted;
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  // Inheritable capabilities are dropped as well: nothing that this program starts needs any. Without inheritable
  // capabilities there are no ambient ones either.
  return syscall(SYS_capset, &header, sets) == 0;
}
