/* Preloaded before the daemon: the system's clock is off by as many seconds as the file CLOCK_FILE says in its
 * first eight bytes, and counts as synchronised where the next eight are not zero. The file may change at any
 * time; monotonic clocks go on as they do, or as another of these files has them go. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

static volatile int64_t *shift;
static int (*really)(clockid_t, struct timespec *);

__attribute__((constructor)) static void begin(void)
{
	const char *path = getenv("CLOCK_FILE");
	int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	void *memory = file < 0 ? MAP_FAILED : mmap(NULL, 16, PROT_READ, MAP_SHARED, file, 0);

	shift = memory == MAP_FAILED ? NULL : memory;
	if (file >= 0)
		close(file);
}

int clock_gettime(clockid_t clock, struct timespec *time)
{
	int result;

	if (!really)
		really = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
	result = really(clock, time);
	if (result == 0 && shift && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
		time->tv_sec += shift[0];
	return result;
}

time_t time(time_t *out)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	if (out)
		*out = now.tv_sec;
	return now.tv_sec;
}

int gettimeofday(struct timeval *time, void *zone)
{
	struct timespec now;

	(void)zone;
	clock_gettime(CLOCK_REALTIME, &now);
	time->tv_sec = now.tv_sec;
	time->tv_usec = now.tv_nsec / 1000;
	return 0;
}

int adjtimex(struct timex *query)
{
	int is_synchronised = shift && shift[1];

	memset(query, 0, sizeof *query);
	query->status = is_synchronised ? 0 : STA_UNSYNC;
	return is_synchronised ? TIME_OK : TIME_ERROR;
}

int clock_adjtime(clockid_t clock, struct timex *query)
{
	(void)clock;
	return adjtimex(query);
}
