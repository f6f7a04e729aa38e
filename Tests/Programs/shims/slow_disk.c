/* Preloaded before the daemon: fsync and fdatasync take SLOW_DISK_SECONDS, as a worn card's do; and as long as the
 * file SLOW_DISK_WHILE is there, for a test that says itself when they go on. */
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <sys/syscall.h>

static void sleep_for(double seconds)
{
	struct timespec left = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};

	nanosleep(&left, NULL);
}

static int slowly(long call, int file)
{
	static const char note[] = "slow_disk: waits\n";
	static int is_told;
	const char *told = getenv("SLOW_DISK_SECONDS"), *flag = getenv("SLOW_DISK_WHILE");

	if (!flag || access(flag, F_OK) == 0) {
		/* Once: those who count lines are not to count these. */
		if (!is_told && write(2, note, sizeof note - 1) < 0)
			return -1;
		is_told = 1;
	}
	if (told || !flag)
		sleep_for(atof(told ? told : "1"));
	while (flag && access(flag, F_OK) == 0)
		sleep_for(0.01);
	return (int)syscall(call, file);
}

int fsync(int file)
{
	return slowly(SYS_fsync, file);
}

int fdatasync(int file)
{
	return slowly(SYS_fdatasync, file);
}
