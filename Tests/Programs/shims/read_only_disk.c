/* Preloaded before the daemon: as long as the file READ_ONLY_WHILE exists, nothing below READ_ONLY_FOLDER
 * can be changed. So it is when the kernel finds an error on a card and forces its file system to be
 * read-only: what is open stays open, and every change fails with EROFS. (mount(8) refuses to do that.) */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is_below(const char *path)
{
	const char *folder = getenv("READ_ONLY_FOLDER"), *flag = getenv("READ_ONLY_WHILE");

	if (!folder || !flag || strncmp(path, folder, strlen(folder)) != 0 || access(flag, F_OK) != 0)
		return 0;
	errno = EROFS;
	return 1;
}

static int is_refused(int file)
{
	char link[40], path[4096];
	ssize_t length;

	snprintf(link, sizeof link, "/proc/self/fd/%d", file);
	length = readlink(link, path, sizeof path - 1);
	if (length <= 0)
		return 0;
	path[length] = 0;
	return is_below(path);
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define REFUSES_FILE(result, name, parameters, arguments) \
	result name parameters { return is_refused(file) ? -1 : NEXT(name) arguments; }
#define REFUSES_PATH(name, parameters, arguments) \
	int name parameters { return is_below(path) ? -1 : NEXT(name) arguments; }
#define REFUSES_OPENING(name, parameters, arguments) \
	int name parameters { \
		va_list rest; \
		int mode; \
		va_start(rest, flags); \
		mode = flags & O_CREAT ? va_arg(rest, int) : 0; \
		va_end(rest); \
		return (flags & (O_WRONLY | O_RDWR | O_CREAT)) && is_below(path) ? -1 : NEXT(name) arguments; \
	}

REFUSES_FILE(ssize_t, write, (int file, const void *data, size_t size), (file, data, size))
REFUSES_FILE(ssize_t, pwrite, (int file, const void *data, size_t size, off_t at), (file, data, size, at))
REFUSES_FILE(ssize_t, pwrite64, (int file, const void *data, size_t size, off64_t at), (file, data, size, at))
REFUSES_FILE(int, fsync, (int file), (file))
REFUSES_FILE(int, fdatasync, (int file), (file))
REFUSES_FILE(int, ftruncate, (int file, off_t size), (file, size))
REFUSES_FILE(int, ftruncate64, (int file, off64_t size), (file, size))
REFUSES_PATH(unlink, (const char *path), (path))
REFUSES_PATH(rename, (const char *path, const char *to), (path, to))
REFUSES_OPENING(open, (const char *path, int flags, ...), (path, flags, mode))
REFUSES_OPENING(open64, (const char *path, int flags, ...), (path, flags, mode))
REFUSES_OPENING(openat, (int folder, const char *path, int flags, ...), (folder, path, flags, mode))

int posix_fallocate(int file, off_t at, off_t size)
{
	return is_refused(file) ? EROFS : NEXT(posix_fallocate)(file, at, size);
}
