#define _GNU_SOURCE

#include "counting.h"

#include <errno.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const int64_t second = 1000000000;

/// Nanoseconds by which the time has advanced since the program began.
static _Atomic int64_t passed;

void clock_advance(int64_t milliseconds) { passed += milliseconds * 1000000; }

int64_t clock_nanoseconds(void) {
    struct timespec now;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    return now.tv_sec * second + now.tv_nsec;
}

/// Replaces libc's function in the whole program, including libuv: monotonic time stands still. Everything is slow while
/// it is counted, and a timer would otherwise be due in one of ten rounds and disturb it.
int clock_gettime(clockid_t clock, struct timespec *time) {
    if (clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_COARSE || clock == CLOCK_BOOTTIME) {
        // Begins late enough for code that subtracts from it.
        int64_t now = passed + 1000000 * second;
        time->tv_sec = now / second;
        time->tv_nsec = now % second;
        return 0;
    }
    return (int)syscall(SYS_clock_gettime, clock, time);
}
