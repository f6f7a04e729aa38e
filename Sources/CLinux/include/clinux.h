// Parts of Linux that Swift's Glibc module does not import: epoll and its friends, netlink, and a
// few things that exist only as macros.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/types.h>

/// Nanoseconds since boot, sleep included (CLOCK_BOOTTIME).
int64_t clinux_boot_nanoseconds(void);

/// Seconds since the Unix epoch by the system's clock, right or wrong.
double clinux_wall_seconds(void);

/// Seconds since the Unix epoch where the kernel counts the system's clock as synchronised, else NaN. Asks
/// the kernel once per second of that clock, so at once when somebody sets it; safe on any thread. Where the
/// kernel may not be asked, systemd-timesyncd's word counts.
double clinux_trusted_wall(void);

/// The reading of adjtimex(2) that counts as synchronised: its return value and its status bits.
bool clinux_is_synchronised(int state, int status);

/// Arms `timer` (a timerfd on CLOCK_BOOTTIME) for one absolute moment; 0 turns it off.
int clinux_arm(int timer, int64_t boot_nanoseconds);

/// Blocks the given signals in the calling thread and returns a non-blocking signalfd for them.
int clinux_signal_descriptor(const int *numbers, size_t count);

/// The number of the next signal that waits in a signalfd; 0 when there is none.
int clinux_next_signal(int descriptor);

/// Starts a thread with all signals blocked and a stack of `stack` bytes; 0 or an error number.
int clinux_start_thread(
    unsigned long *thread, const char *name, size_t stack, void *(*body)(void *), void *argument);
/// Waits for its end.
void clinux_join_thread(unsigned long thread);

/// Microseconds of CLOCK_MONOTONIC, which the service manager reckons by.
int64_t clinux_monotonic_microseconds(void);

// Unix sockets. A path that begins with '@' is an abstract name.

/// Bytes a path may have.
size_t clinux_unix_path_limit(void);
/// A non-blocking socket of SOCK_STREAM or SOCK_DGRAM.
int clinux_unix_stream(void);
int clinux_unix_datagram(void);
int clinux_unix_connect(int descriptor, const char *path);
/// Binds and listens; the socket file gets the mode 0660 from its first moment.
int clinux_unix_listen(int descriptor, const char *path, int backlog);
/// The next connection, non-blocking.
int clinux_accept(int descriptor);
/// The user who connected a Unix socket, as the kernel knows it; -1: unknown.
int64_t clinux_peer_user(int descriptor);
/// One datagram to `path`, never blocking, never a SIGPIPE.
ptrdiff_t clinux_unix_send(int descriptor, const char *path, const void *bytes, size_t count);
/// `write` to a stream socket, never a SIGPIPE.
ptrdiff_t clinux_send(int descriptor, const void *bytes, size_t count);

// Netlink

enum clinux_netlink_family { clinux_route, clinux_uevent, clinux_generic };

/// A non-blocking netlink socket that listens to `groups`. Its own address comes back in `port`.
int clinux_netlink(enum clinux_netlink_family family, uint32_t groups, uint32_t *port);
/// Receives one datagram of the kernel; those of other senders are thrown away and give EINTR.
/// Longer than `room`: ENOBUFS, as when the kernel's own buffer has run over.
ptrdiff_t clinux_netlink_receive(int descriptor, void *buffer, size_t room);

/// Reads 16 bits of a chip on an I2C bus (an open /dev/i2c-N), the low byte first; 0 or an error number.
int clinux_smbus_word(int bus, int address, uint8_t place, uint16_t *value);

/// Watches one line of a GPIO chip (/dev/gpiochipN) for edges: a non-blocking descriptor; 0 or an error number.
int clinux_gpio_watch(const char *chip, unsigned line, bool is_active_low, int *descriptor);
/// The next edge that waits there: 1 it became active, -1 inactive, 0 none.
int clinux_gpio_edge(int descriptor);
/// 1 it is active now, 0 it is not, below 0: the kernel does not say.
int clinux_gpio_level(int descriptor);

/// Starts a program in a process group of its own, with `count` bytes to read and its output in a
/// non-blocking pipe; 0 or an error number. `words` ends with NULL, the first is the program's path. It has nothing else
/// of ours open, and is what the kernel ends first where memory is short.
int clinux_spawn(
    pid_t *child, int *output, char *const *words, const void *input, size_t count);
/// Whether it is over, without waiting; `end`: its status, or 256 and the number of the signal that ended it.
bool clinux_has_ended(pid_t child, int *end);

/// One heap for all threads, and freed memory goes back to the kernel early: two sleeping workers with
/// arenas of their own would cost more than everything they ever hold.
void clinux_lean_heap(void);
/// Gives back what lies free between what is in use: after a burst that is most of it.
void clinux_trim_heap(void);
/// Lets go of what a start leaves behind: code and tables of the program and its libraries (what is still wanted
/// is mapped again when it is touched, mostly from the kernel's cache), free pages of the heap, and the part of
/// this thread's stack (which has to be the main one) that was in use once. The kernel need not look for it when
/// memory is short.
void clinux_let_go_of_start(void);
