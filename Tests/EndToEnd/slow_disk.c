/* Preloaded before the daemon: fsync and fdatasync take SLOW_DISK_SECONDS, as a worn card's do. */
#include <stdlib.h>
#include <unistd.h>
#include <sys/syscall.h>

static int slowly(long call, int file)
{
	static const char note[] = "slow_disk: waits\n";
	const char *seconds = getenv("SLOW_DISK_SECONDS");

	if (write(2, note, sizeof note - 1) < 0)
		return -1;
	sleep((unsigned)atoi(seconds ? seconds : "1"));
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
