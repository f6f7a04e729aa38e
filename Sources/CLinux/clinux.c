#define _GNU_SOURCE
#include "clinux.h"

#include <malloc.h>
#include <math.h>
#include <sys/mman.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/gpio.h>
#include <linux/i2c-dev.h>
#include <linux/i2c.h>
#include <linux/netlink.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timex.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int64_t clinux_boot_nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_BOOTTIME, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

double clinux_wall_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

bool clinux_is_synchronised(int state, int status) {
  return state >= 0 && state != TIME_ERROR && !(status & STA_UNSYNC);
}

// Where the service may not ask the kernel (board/no-bluetooth.conf), systemd-timesyncd says it: it touches this file
// whenever it has put the clock right. For so long after that the kernel would call the clock synchronised, too.
static bool is_kept_by_timesyncd(int64_t second) {
  const int64_t longest = 32000;
  struct stat stamp;
  if (stat("/run/systemd/timesync/synchronized", &stamp) != 0) return false;
  // A clock that was set by hand since is not where timesyncd left it.
  int64_t age = second - (int64_t)stamp.st_mtim.tv_sec;
  return age >= -1 && age <= longest;
}

static int64_t nanoseconds(struct timespec time) { return time.tv_sec * 1000000000 + time.tv_nsec; }

double clinux_trusted_wall(void) {
  // The last answer, and how far the wall was ahead of the boot time then: one that was set is elsewhere, and asked about
  // anew. NTP slews a clock by 500 ppm at most. Each thread has its own.
  static _Thread_local struct { bool was_asked, is_kept; int64_t boot, ahead; } last;
  const int64_t kept_for = 15000000000, unkept_for = 1000000000, set = 50000000;
  struct timespec wall, boot;
  clock_gettime(CLOCK_REALTIME, &wall);
  clock_gettime(CLOCK_BOOTTIME, &boot);
  int64_t now = nanoseconds(boot), ahead = nanoseconds(wall) - now, moved = ahead - last.ahead;
  bool is_over = now - last.boot >= (last.is_kept ? kept_for : unkept_for) || now < last.boot;
  if (!last.was_asked || is_over || moved > set || moved < -set) {
    struct timex query = {0};
    int state = adjtimex(&query);
    last.is_kept = state < 0 && errno == EPERM ? is_kept_by_timesyncd(wall.tv_sec)
                                               : clinux_is_synchronised(state, query.status);
    last.was_asked = true;
    last.boot = now;
    last.ahead = ahead;
  }
  return last.is_kept ? (double)wall.tv_sec + (double)wall.tv_nsec / 1e9 : NAN;
}

int clinux_arm(int timer, int64_t boot_nanoseconds) {
  struct itimerspec when = {0};
  when.it_value.tv_sec = (time_t)(boot_nanoseconds / 1000000000);
  when.it_value.tv_nsec = (long)(boot_nanoseconds % 1000000000);
  return timerfd_settime(timer, TFD_TIMER_ABSTIME, &when, NULL);
}

int clinux_signal_descriptor(const int *numbers, size_t count) {
  sigset_t set;
  sigemptyset(&set);
  for (size_t index = 0; index < count; index++) sigaddset(&set, numbers[index]);
  if (pthread_sigmask(SIG_BLOCK, &set, NULL) != 0) return -1;
  return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

int clinux_next_signal(int descriptor) {
  struct signalfd_siginfo info;
  ssize_t count = read(descriptor, &info, sizeof info);
  return count == (ssize_t)sizeof info ? (int)info.ssi_signo : 0;
}

int clinux_start_thread(
    unsigned long *thread, const char *name, size_t stack, void *(*body)(void *), void *argument) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  int failure = pthread_attr_setstacksize(&attributes, stack);
  // The thread is born with every signal blocked: signals belong to the loop's thread.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  if (failure == 0) failure = pthread_create(thread, &attributes, body, argument);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
  if (failure == 0) pthread_setname_np(*thread, name);
  return failure;
}

void clinux_join_thread(unsigned long thread) { pthread_join(thread, NULL); }

int64_t clinux_monotonic_microseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

// Fills in the address and returns its length; 0 with ENAMETOOLONG.
static socklen_t unix_address(struct sockaddr_un *address, const char *path) {
  size_t length = strlen(path);
  if (length == 0 || length > clinux_unix_path_limit()) {
    errno = ENAMETOOLONG;
    return 0;
  }
  memset(address, 0, sizeof *address);
  address->sun_family = AF_UNIX;
  memcpy(address->sun_path, path, length);
  // An abstract name has no NUL at its end: there it would be a part of the name.
  if (path[0] != '@') return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length + 1);
  address->sun_path[0] = 0;
  return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
}

size_t clinux_unix_path_limit(void) {
  return sizeof(((struct sockaddr_un *)0)->sun_path) - 1;
}

int clinux_unix_stream(void) {
  return socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
}

int clinux_unix_datagram(void) {
  return socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
}

int clinux_unix_connect(int descriptor, const char *path) {
  struct sockaddr_un address;
  socklen_t length = unix_address(&address, path);
  return length ? connect(descriptor, (struct sockaddr *)&address, length) : -1;
}

int clinux_unix_listen(int descriptor, const char *path, int backlog) {
  struct sockaddr_un address;
  socklen_t length = unix_address(&address, path);
  if (!length) return -1;
  // The file is made with the mode of the socket's own inode, less the umask; then the mode is made
  // whole. It is never wider than it should be, and the umask, which other threads live by, stays.
  if (fchmod(descriptor, 0660) != 0) return -1;
  if (bind(descriptor, (struct sockaddr *)&address, length) != 0) return -1;
  if (path[0] != '@' && chmod(path, 0660) != 0) return -1;
  return listen(descriptor, backlog);
}

int clinux_accept(int descriptor) {
  return accept4(descriptor, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

int64_t clinux_peer_user(int descriptor) {
  struct ucred peer;
  socklen_t length = sizeof peer;
  return getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 ? (int64_t)peer.uid : -1;
}

ptrdiff_t clinux_unix_send(int descriptor, const char *path, const void *bytes, size_t count) {
  struct sockaddr_un address;
  socklen_t length = unix_address(&address, path);
  if (!length) return -1;
  return sendto(
      descriptor, bytes, count, MSG_DONTWAIT | MSG_NOSIGNAL, (struct sockaddr *)&address, length);
}

ptrdiff_t clinux_send(int descriptor, const void *bytes, size_t count) {
  return send(descriptor, bytes, count, MSG_NOSIGNAL);
}

int clinux_netlink(enum clinux_netlink_family family, uint32_t groups, uint32_t *port) {
  int protocol = family == clinux_route    ? NETLINK_ROUTE
                 : family == clinux_uevent ? NETLINK_KOBJECT_UEVENT
                                           : NETLINK_GENERIC;
  int descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, protocol);
  if (descriptor < 0) return -1;
  struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = groups};
  socklen_t length = sizeof address;
  if (bind(descriptor, (struct sockaddr *)&address, length) != 0 ||
      getsockname(descriptor, (struct sockaddr *)&address, &length) != 0) {
    int failure = errno;
    close(descriptor);
    errno = failure;
    return -1;
  }
  *port = address.nl_pid;
  return descriptor;
}

ptrdiff_t clinux_netlink_receive(int descriptor, void *buffer, size_t room) {
  struct sockaddr_nl sender = {0};
  socklen_t length = sizeof sender;
  ssize_t count = recvfrom(
      descriptor, buffer, room, MSG_TRUNC, (struct sockaddr *)&sender, &length);
  if (count < 0) return -1;
  if (sender.nl_pid != 0) {
    errno = EINTR;
    return -1;
  }
  if ((size_t)count > room) {
    errno = ENOBUFS;
    return -1;
  }
  return count;
}

int clinux_smbus_word(int bus, int address, uint8_t place, uint16_t *value) {
  if (ioctl(bus, I2C_SLAVE, (unsigned long)address) != 0) return errno;
  union i2c_smbus_data data = {0};
  struct i2c_smbus_ioctl_data order = {
      .read_write = I2C_SMBUS_READ, .command = place, .size = I2C_SMBUS_WORD_DATA, .data = &data};
  if (ioctl(bus, I2C_SMBUS, &order) != 0) return errno;
  *value = data.word;
  return 0;
}

int clinux_gpio_watch(const char *chip, unsigned line, bool is_active_low, int *descriptor) {
  int folder = open(chip, O_RDWR | O_CLOEXEC);
  if (folder < 0) return errno;
  struct gpio_v2_line_request request = {.offsets = {line}, .num_lines = 1, .consumer = "homewardd"};
  request.config.flags = GPIO_V2_LINE_FLAG_INPUT | GPIO_V2_LINE_FLAG_EDGE_RISING |
                         GPIO_V2_LINE_FLAG_EDGE_FALLING |
                         (is_active_low ? GPIO_V2_LINE_FLAG_ACTIVE_LOW : 0);
  int failure = ioctl(folder, GPIO_V2_GET_LINE_IOCTL, &request) == 0 ? 0 : errno;
  close(folder);
  if (failure == 0) {
    fcntl(request.fd, F_SETFD, FD_CLOEXEC);
    fcntl(request.fd, F_SETFL, O_NONBLOCK);
    *descriptor = request.fd;
  }
  return failure;
}

int clinux_gpio_edge(int descriptor) {
  struct gpio_v2_line_event event;
  if (read(descriptor, &event, sizeof event) != (ssize_t)sizeof event) return 0;
  return event.id == GPIO_V2_LINE_EVENT_RISING_EDGE ? 1 : -1;
}

int clinux_gpio_level(int descriptor) {
  struct gpio_v2_line_values values = {.mask = 1};
  if (ioctl(descriptor, GPIO_V2_LINE_GET_VALUES_IOCTL, &values) != 0) return -1;
  return values.bits & 1;
}

/// A file in memory that holds these bytes and is read from its beginning; below 0: an error.
static int holding(const void *bytes, size_t count) {
  int file = memfd_create("input", MFD_CLOEXEC);
  if (file < 0) return file;
  if (write(file, bytes, count) == (ssize_t)count && lseek(file, 0, SEEK_SET) == 0) return file;
  close(file);
  return -1;
}

/// Where memory is short it goes, and not the tracker: both live in one memory cgroup. To rise takes no right.
static void offer_to_kernel(pid_t child) {
  char path[40];
  snprintf(path, sizeof path, "/proc/%d/oom_score_adj", (int)child);
  int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  // Where that is forbidden the kernel chooses by size alone, which is right as a rule.
  if (write(file, "1000", 4) < 0) errno = 0;
  close(file);
}

int clinux_spawn(
    pid_t *child, int *output, char *const *words, const void *input, size_t count) {
  int ends[2];
  int file = count > 0 ? holding(input, count) : open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (file < 0) return errno;
  if (pipe2(ends, O_CLOEXEC) != 0) {
    int failure = errno;
    close(file);
    return failure;
  }
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, file, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  // Libraries open descriptors that would stay open over there.
  posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
  // Ours are blocked or ignored, and would stay so over there.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none, usual;
  sigemptyset(&none);
  sigemptyset(&usual);
  sigaddset(&usual, SIGPIPE);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(
      &attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  int failure = posix_spawn(child, words[0], &files, &attributes, words, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  close(ends[1]);
  close(file);
  if (failure == 0) offer_to_kernel(*child);
  if (failure == 0 && fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0) {
    *output = ends[0];
    return 0;
  }
  close(ends[0]);
  return failure;
}

bool clinux_has_ended(pid_t child, int *end) {
  int status = 0;
  pid_t answer = waitpid(child, &status, WNOHANG);
  if (answer == 0) return false;
  if (answer != child) {
    *end = 255;
  } else {
    *end = WIFEXITED(status) ? WEXITSTATUS(status) : 256 + (WIFSIGNALED(status) ? WTERMSIG(status) : 0);
  }
  return true;
}

void clinux_lean_heap(void)
{
    mallopt(M_ARENA_MAX, 1);
    mallopt(M_TRIM_THRESHOLD, 64 * 1024);
    mallopt(M_MMAP_THRESHOLD, 64 * 1024);
}

void clinux_trim_heap(void) { malloc_trim(0); }

/// Segments that nobody can have written to: the file still has all of them.
static int let_go(struct dl_phdr_info *object, size_t size, void *page_size) {
  (void)size;
  // The kernel's own page of functions is no file's.
  if (object->dlpi_name[0] != '\0' && object->dlpi_name[0] != '/') return 0;
  uintptr_t page = *(uintptr_t *)page_size;
  for (int index = 0; index < object->dlpi_phnum; index++) {
    const ElfW(Phdr) *segment = &object->dlpi_phdr[index];
    if (segment->p_type != PT_LOAD || segment->p_flags & PF_W) continue;
    // Whole pages only: at its ends a segment may share one with its neighbour.
    uintptr_t start = (object->dlpi_addr + segment->p_vaddr + page - 1) & ~(page - 1);
    uintptr_t end = (object->dlpi_addr + segment->p_vaddr + segment->p_memsz) & ~(page - 1);
    if (start < end) madvise((void *)start, end - start, MADV_DONTNEED);
  }
  return 0;
}

/// Gives back the part of this thread's stack that the start used, well below where we are now. Parts that were never
/// reached are no error: the rest is done all the same.
static void let_go_of_stack(uintptr_t page) {
  uintptr_t here = (uintptr_t)__builtin_frame_address(0) & ~(page - 1);
  madvise((void *)(here - 256 * 1024), 256 * 1024 - 4 * page, MADV_DONTNEED);
}

void clinux_let_go_of_start(void) {
  malloc_trim(0);
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  dl_iterate_phdr(let_go, &page);
  let_go_of_stack(page);
}
