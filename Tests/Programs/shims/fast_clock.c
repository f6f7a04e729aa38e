/* Preloaded before the daemon: its boot-time clock runs CLOCK_FACTOR times as fast from the moment CLOCK_BASE on
 * (nanoseconds of the real one, which is the same for all lives of a board, or a start would be a step back in time).
 * The wall clock runs as it does. Timers of that clock end, and waits in epoll are over, so many times earlier; all
 * other waits, of libraries too, take what they take. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define SECOND 1000000000LL

static int64_t base, factor = 1;

static int64_t nanoseconds(struct timespec time)
{
	return time.tv_sec * SECOND + time.tv_nsec;
}

static struct timespec timespec(int64_t nanoseconds)
{
	struct timespec time = {nanoseconds / SECOND, nanoseconds % SECOND};

	return time;
}

__attribute__((constructor)) static void begin(void)
{
	const char *told = getenv("CLOCK_FACTOR"), *since = getenv("CLOCK_BASE");
	struct timespec now;

	syscall(SYS_clock_gettime, CLOCK_BOOTTIME, &now);
	base = since ? atoll(since) : nanoseconds(now);
	if (told && atoll(told) > 0)
		factor = atoll(told);
}

int clock_gettime(clockid_t clock, struct timespec *time)
{
	int result = (int)syscall(SYS_clock_gettime, clock, time);

	if (result == 0 && clock == CLOCK_BOOTTIME)
		*time = timespec(base + (nanoseconds(*time) - base) * factor);
	return result;
}

/* Rounded up: what is woken too early only sleeps again, but that costs a wake-up. */
int timerfd_settime(int file, int flags, const struct itimerspec *wanted, struct itimerspec *old)
{
	struct itimerspec when = *wanted;
	int64_t moment = nanoseconds(when.it_value);

	/* The daemon's timers are all of this clock, and 0 turns one off. */
	if ((flags & TFD_TIMER_ABSTIME) && moment > base)
		when.it_value = timespec(base + (moment - base + factor - 1) / factor);
	return (int)syscall(SYS_timerfd_settime, file, flags, &when, old);
}

int epoll_wait(int set, struct epoll_event *events, int count, int milliseconds)
{
	int limit = milliseconds > 0 ? (int)((milliseconds + factor - 1) / factor) : milliseconds;

	/* 8: bytes of the mask of signals that is not there, as the kernel counts them. */
	return (int)syscall(SYS_epoll_pwait, set, events, count, limit, NULL, 8);
}
