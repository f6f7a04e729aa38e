/* Preloaded before the daemon: the FAULT_AT-th call of FAULT_CALL fails with errno FAULT_ERRNO, or is cut
 * to a half where that is 0; so do the FAULT_COUNT - 1 after it. Tells FAULT_LOG of it, and at the end how
 * often each call was made. The log is written past the wrappers. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define CALLS(X) X(open) X(read) X(pread) X(write) X(pwrite) X(fsync) X(fdatasync) X(ftruncate) X(send) \
	X(sendto) X(sendmsg) X(recv) X(recvfrom) X(recvmsg) X(connect) X(socket) X(bind) X(accept) \
	X(epoll_create) X(epoll_ctl) X(epoll_wait) X(timerfd_create) X(timerfd_settime) X(eventfd) X(signalfd) \
	X(unlink) X(rename) X(fcntl) X(getsockopt) X(setsockopt) X(thread) X(fstat) X(lseek)
#define AS_ENUM(name) AT_##name,
#define AS_TEXT(name) #name,
enum call { CALLS(AS_ENUM) CALL_COUNT };
static const char *const names[] = { CALLS(AS_TEXT) };
static int made[CALL_COUNT];

static void tell(const char *line)
{
	const char *path = getenv("FAULT_LOG");
	long file = path ? syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND, 0600) : -1;

	if (file >= 0 && syscall(SYS_write, file, line, strlen(line)) >= 0)
		syscall(SYS_close, file);
}

static int port_of(const struct sockaddr_storage *address)
{
	return address->ss_family == AF_INET ? ntohs(((const struct sockaddr_in *)address)->sin_port) : 0;
}

/* What a descriptor is: a path, or the port at the other end. */
static void describe(int file, char *text, size_t size)
{
	struct sockaddr_storage peer;
	socklen_t length = sizeof peer;
	char link[40];

	memset(text, 0, size);
	if (file < 0)
		return;
	memset(&peer, 0, sizeof peer);
	if (getpeername(file, (struct sockaddr *)&peer, &length) == 0 && port_of(&peer)) {
		snprintf(text, size, "port %d", port_of(&peer));
		return;
	}
	snprintf(link, sizeof link, "/proc/self/fd/%d", file);
	if (readlink(link, text, size - 1) < 0)
		text[0] = 0;
}

enum verdict { GOES_ON, FAILS, IS_CUT };

static enum verdict fate(enum call call, int file, const char *path)
{
	const char *wanted = getenv("FAULT_CALL"), *at = getenv("FAULT_AT"), *count = getenv("FAULT_COUNT");
	const char *number = getenv("FAULT_ERRNO");
	int nth = __atomic_add_fetch(&made[call], 1, __ATOMIC_RELAXED), first = at ? atoi(at) : 0;
	char what[200], line[400];
	struct timespec now;

	if (!wanted || strcmp(wanted, names[call]) != 0 || nth < first || first == 0 ||
	    nth >= first + (count ? atoi(count) : 1))
		return GOES_ON;
	if (path)
		snprintf(what, sizeof what, "%s", path);
	else
		describe(file, what, sizeof what);
	/* No disk is behind a bell, a timer or a signal: they know no such error. */
	if (strncmp(what, "anon_inode", 10) == 0 && (call == AT_read || call == AT_write))
		return GOES_ON;
	clock_gettime(CLOCK_MONOTONIC, &now);
	snprintf(line, sizeof line, "hit %ld.%03ld %s %d %s %s\n", (long)now.tv_sec, now.tv_nsec / 1000000,
		 names[call], nth, number ? number : "0", what);
	tell(line);
	errno = number ? atoi(number) : 0;
	return errno ? FAILS : IS_CUT;
}

__attribute__((destructor)) static void tell_counts(void)
{
	char line[80];

	if (getenv("FAULT_CALL"))
		return;
	for (int call = 0; call < CALL_COUNT; call++) {
		snprintf(line, sizeof line, "count %s %d\n", names[call], made[call]);
		tell(line);
	}
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
/* A call on a file, which can only fail. */
#define ON_FILE(result, call, name, parameters, arguments) \
	result name parameters { return fate(AT_##call, file, NULL) == FAILS ? -1 : NEXT(name) arguments; }
/* One that moves `size` bytes: cut, it moves a half. */
#define MOVES(call, name, parameters, arguments) \
	ssize_t name parameters { \
		enum verdict verdict = fate(AT_##call, file, NULL); \
		if (verdict == IS_CUT && size > 1) \
			size /= 2; \
		return verdict == FAILS ? -1 : NEXT(name) arguments; \
	}
#define OPENS(name, parameters, arguments) \
	int name parameters { \
		va_list rest; \
		int mode; \
		va_start(rest, flags); \
		mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, int) : 0; \
		va_end(rest); \
		return fate(AT_open, -1, path) == FAILS ? -1 : NEXT(name) arguments; \
	}
#define ON_NOTHING(call, name, parameters, arguments) \
	int name parameters { return fate(AT_##call, -1, NULL) == FAILS ? -1 : NEXT(name) arguments; }
#define ON_PATH(call, name, parameters, arguments) \
	int name parameters { return fate(AT_##call, -1, path) == FAILS ? -1 : NEXT(name) arguments; }
/* The C library declares some arguments as unions of pointers: there the plain type is written out. */
#define FORWARDS(result, call, name, parameters, types, arguments) \
	result name parameters { \
		return fate(AT_##call, file, NULL) == FAILS ? -1 : ((result (*) types)dlsym(RTLD_NEXT, #name)) arguments; \
	}

OPENS(open, (const char *path, int flags, ...), (path, flags, mode))
OPENS(open64, (const char *path, int flags, ...), (path, flags, mode))
OPENS(openat, (int folder, const char *path, int flags, ...), (folder, path, flags, mode))
OPENS(openat64, (int folder, const char *path, int flags, ...), (folder, path, flags, mode))
MOVES(read, read, (int file, void *data, size_t size), (file, data, size))
MOVES(pread, pread, (int file, void *data, size_t size, off_t at), (file, data, size, at))
MOVES(pread, pread64, (int file, void *data, size_t size, off64_t at), (file, data, size, at))
MOVES(write, write, (int file, const void *data, size_t size), (file, data, size))
MOVES(pwrite, pwrite, (int file, const void *data, size_t size, off_t at), (file, data, size, at))
MOVES(pwrite, pwrite64, (int file, const void *data, size_t size, off64_t at), (file, data, size, at))
ON_FILE(int, fsync, fsync, (int file), (file))
ON_FILE(int, fdatasync, fdatasync, (int file), (file))
ON_FILE(int, ftruncate, ftruncate, (int file, off_t size), (file, size))
ON_FILE(int, ftruncate, ftruncate64, (int file, off64_t size), (file, size))
MOVES(send, send, (int file, const void *data, size_t size, int flags), (file, data, size, flags))
MOVES(recv, recv, (int file, void *data, size_t size, int flags), (file, data, size, flags))
ON_FILE(ssize_t, sendmsg, sendmsg, (int file, const struct msghdr *message, int flags), (file, message, flags))
ON_FILE(ssize_t, recvmsg, recvmsg, (int file, struct msghdr *message, int flags), (file, message, flags))
ON_NOTHING(socket, socket, (int domain, int type, int protocol), (domain, type, protocol))
ON_NOTHING(epoll_create, epoll_create1, (int flags), (flags))
/* Only what is new takes memory: a change or a removal never fails for want of it. */
int epoll_ctl(int set, int operation, int file, struct epoll_event *event)
{
	if (operation == EPOLL_CTL_ADD && fate(AT_epoll_ctl, file, NULL) == FAILS)
		return -1;
	return NEXT(epoll_ctl)(set, operation, file, event);
}
ON_NOTHING(epoll_wait, epoll_wait, (int set, struct epoll_event *events, int most, int milliseconds),
	   (set, events, most, milliseconds))
ON_NOTHING(timerfd_create, timerfd_create, (clockid_t clock, int flags), (clock, flags))
ON_FILE(int, timerfd_settime, timerfd_settime,
	(int file, int flags, const struct itimerspec *value, struct itimerspec *old), (file, flags, value, old))
ON_NOTHING(eventfd, eventfd, (unsigned int value, int flags), (value, flags))
ON_NOTHING(signalfd, signalfd, (int file, const sigset_t *mask, int flags), (file, mask, flags))
ON_PATH(unlink, unlink, (const char *path), (path))
ON_PATH(rename, rename, (const char *path, const char *to), (path, to))
ON_FILE(int, getsockopt, getsockopt, (int file, int level, int name, void *value, socklen_t *length),
	(file, level, name, value, length))
ON_FILE(int, setsockopt, setsockopt, (int file, int level, int name, const void *value, socklen_t length),
	(file, level, name, value, length))
ON_FILE(int, fstat, fstat, (int file, struct stat *status), (file, status))
ON_FILE(int, fstat, fstat64, (int file, struct stat64 *status), (file, status))
ON_FILE(off_t, lseek, lseek, (int file, off_t offset, int whence), (file, offset, whence))
ON_FILE(off64_t, lseek, lseek64, (int file, off64_t offset, int whence), (file, offset, whence))
#define ADDRESS const struct sockaddr *
FORWARDS(int, connect, connect, (int file, ADDRESS to, socklen_t length), (int, ADDRESS, socklen_t),
	 (file, to, length))
FORWARDS(int, bind, bind, (int file, ADDRESS to, socklen_t length), (int, ADDRESS, socklen_t), (file, to, length))
FORWARDS(int, accept, accept, (int file, struct sockaddr *from, socklen_t *length),
	 (int, struct sockaddr *, socklen_t *), (file, from, length))
FORWARDS(int, accept, accept4, (int file, struct sockaddr *from, socklen_t *length, int flags),
	 (int, struct sockaddr *, socklen_t *, int), (file, from, length, flags))
FORWARDS(ssize_t, sendto, sendto,
	 (int file, const void *data, size_t size, int flags, ADDRESS to, socklen_t length),
	 (int, const void *, size_t, int, ADDRESS, socklen_t), (file, data, size, flags, to, length))
FORWARDS(ssize_t, recvfrom, recvfrom,
	 (int file, void *data, size_t size, int flags, struct sockaddr *from, socklen_t *length),
	 (int, void *, size_t, int, struct sockaddr *, socklen_t *), (file, data, size, flags, from, length))

#define CONTROLS(name) \
	int name(int file, int command, ...) { \
		va_list rest; \
		void *argument; \
		va_start(rest, command); \
		argument = va_arg(rest, void *); \
		va_end(rest); \
		return fate(AT_fcntl, file, NULL) == FAILS ? -1 : NEXT(name)(file, command, argument); \
	}
CONTROLS(fcntl)
CONTROLS(fcntl64)

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument)
{
	if (fate(AT_thread, -1, NULL) == FAILS)
		return errno;
	return NEXT(pthread_create)(thread, attributes, start, argument);
}
