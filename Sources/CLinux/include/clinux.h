// What Linux offers and Swift's Glibc module does not import: epoll and its friends, netlink, and a
// few things that exist only as macros.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>

/// Nanoseconds since boot, sleep included (CLOCK_BOOTTIME).
int64_t clinux_boot_nanoseconds(void);

/// Seconds since the Unix epoch by the system's clock, right or wrong.
double clinux_wall_seconds(void);

/// Whether the kernel counts the system's clock as synchronised. Asks the kernel at most once per
/// second of `boot_nanoseconds`; safe on any thread.
bool clinux_wall_is_synchronised(int64_t boot_nanoseconds);

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
