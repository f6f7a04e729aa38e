#define _GNU_SOURCE
#include "clinux.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/timex.h>
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

bool clinux_wall_is_synchronised(int64_t boot_nanoseconds) {
  // One word holds the second of the answer and the answer itself, so that no two threads can see
  // halves of it.
  static _Atomic int64_t memory = -1;
  int64_t second = boot_nanoseconds / 1000000000;
  int64_t known = atomic_load_explicit(&memory, memory_order_relaxed);
  if (known >= 0 && known >> 1 == second) return known & 1;
  struct timex query = {0};
  int state = adjtimex(&query);
  bool synchronised = clinux_is_synchronised(state, query.status);
  atomic_store_explicit(&memory, second << 1 | synchronised, memory_order_relaxed);
  return synchronised;
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
