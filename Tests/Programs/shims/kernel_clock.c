/* Preloaded before the daemon: the kernel says of its clock what CLOCK_IS tells, "synchronised" or not. */
#include <stdlib.h>
#include <string.h>
#include <sys/timex.h>

int adjtimex(struct timex *query)
{
	const char *told = getenv("CLOCK_IS");
	int is_synchronised = told && strcmp(told, "synchronised") == 0;

	memset(query, 0, sizeof *query);
	query->status = is_synchronised ? 0 : STA_UNSYNC;
	return is_synchronised ? TIME_OK : TIME_ERROR;
}
