#pragma once
// The kernel's Bluetooth sockets, by BlueZ's libbluetooth where that has a function for it. Its headers
// define most of what they know as macros and inline functions, which Swift does not import.
#include <stddef.h>
#include <stdint.h>

#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>
#include <linux/rfkill.h>

/// Packets and events of a controller.
enum cbluez_event {
  cbluez_event_packet = HCI_EVENT_PKT,
  cbluez_command_complete = EVT_CMD_COMPLETE,
  cbluez_command_status = EVT_CMD_STATUS,
  cbluez_meta_event = EVT_LE_META_EVENT,
  cbluez_legacy_report = EVT_LE_ADVERTISING_REPORT,
  // Bluetooth Core specification, volume 4, part E, 7.7.65.13: not in the header.
  cbluez_extended_report = 0x0D,
};

/// Commands by opcode.
enum cbluez_opcode {
  cbluez_read_local_version = cmd_opcode_pack(OGF_INFO_PARAM, OCF_READ_LOCAL_VERSION),
  cbluez_read_local_commands = cmd_opcode_pack(OGF_INFO_PARAM, OCF_READ_LOCAL_COMMANDS),
  cbluez_set_scan_parameters = cmd_opcode_pack(OGF_LE_CTL, OCF_LE_SET_SCAN_PARAMETERS),
  cbluez_set_scan_enable = cmd_opcode_pack(OGF_LE_CTL, OCF_LE_SET_SCAN_ENABLE),
  // As above, 7.8.64 and 7.8.65.
  cbluez_set_extended_scan_parameters = cmd_opcode_pack(OGF_LE_CTL, 0x0041),
  cbluez_set_extended_scan_enable = cmd_opcode_pack(OGF_LE_CTL, 0x0042),
};

/// How a command was answered.
enum cbluez_command_error {
  cbluez_unknown_command = HCI_UNKNOWN_COMMAND,
  cbluez_command_disallowed = HCI_COMMAND_DISALLOWED,
};

/// Of an event that is written to /dev/rfkill.
enum cbluez_rfkill {
  cbluez_rfkill_bluetooth = RFKILL_TYPE_BLUETOOTH,
  cbluez_rfkill_change = RFKILL_OP_CHANGE,
};

/// The buses of adapters that are soldered to a board.
enum cbluez_bus { cbluez_bus_uart = HCI_UART, cbluez_bus_sdio = HCI_SDIO };

/// One instruction of a socket filter: struct sock_filter of linux/filter.h, which Swift does not see.
struct cbluez_instruction {
  uint16_t code;
  uint8_t if_true, if_false;
  uint32_t operand;
};

/// A non-blocking socket of the management channel, which belongs to no adapter; -1 and errno.
/// Its rights are decided by the capabilities at this moment; dropping them later takes nothing away.
int cbluez_open_management(void);

/// A non-blocking raw HCI socket of the adapter `index`; -1 and errno. It hears the answers to commands,
/// and with `reports` (which takes CAP_NET_RAW) the adapter's LE events too.
int cbluez_open_raw(uint16_t index, int reports);

/// Replaces the socket's filter; whether the kernel took it.
int cbluez_attach_filter(int descriptor, const struct cbluez_instruction *program, uint16_t count);

/// One HCI command; -1 and errno. Never blocks: an adapter's queue has no limit.
int cbluez_send_command(int descriptor, uint16_t opcode, const uint8_t *parameters, uint8_t count);

/// One datagram, cut to `room`; -1 and errno.
ptrdiff_t cbluez_receive(int descriptor, void *buffer, size_t room);
/// A management command. The kernel answers 0 when the reply is an error, which comes all the same: only
/// what is below 0 was not sent.
ptrdiff_t cbluez_send(int descriptor, const void *bytes, size_t count);

/// The capabilities that the methods of scanning need.
enum cbluez_capability { cbluez_net_admin = 1, cbluez_net_raw = 2 };

/// Those of them that this thread has in effect.
unsigned cbluez_capabilities(void);
/// Gives up everything but these, for good, for this thread; whether the kernel did so.
int cbluez_keep_capabilities(unsigned kept);
