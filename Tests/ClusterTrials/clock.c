// A library for LD_PRELOAD that makes the wall clock of one process wrong, and sets it while the process runs. CLOCK_SHIFT is a
// file of eight bytes: seconds that the clock is ahead. The kernel's clock stays right; so deadlines by the wall clock, which the
// process makes with its own, are moved back before the kernel gets them. libfaketime does so, too, and does not bear jemalloc.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

// No machine has been up for so long, and every date of today is later: it tells the two clocks apart.
enum { WALL_SECONDS = 1000000000 };

static _Atomic int64_t none, *shift = &none;

#define REAL(name) \
    static __typeof__(&name) real; \
    if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

__attribute__((constructor)) static void start(void) {
    const char *path = getenv("CLOCK_SHIFT");
    int file = path ? (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0) : -1;
    if (file < 0) return;
    void *memory = mmap(NULL, sizeof *shift, PROT_READ, MAP_SHARED, file, 0);
    if (memory != MAP_FAILED) shift = memory;
    syscall(SYS_close, file);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    REAL(clock_gettime);
    int result = real(clock, now);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += *shift;
    return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    REAL(gettimeofday);
    int result = real(now, zone);
    if (result == 0) now->tv_sec += *shift;
    return result;
}

time_t time(time_t *place) {
    REAL(time);
    time_t now = real(NULL) + *shift;
    if (place) *place = now;
    return now;
}

// The deadline by the kernel's clock.
static struct timespec right(const struct timespec *deadline) {
    struct timespec found = *deadline;
    if (found.tv_sec > WALL_SECONDS) found.tv_sec -= *shift;
    return found;
}

int pthread_cond_timedwait(
    pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex, const struct timespec *restrict deadline) {
    static __typeof__(&pthread_cond_timedwait) real;
    // The symbol has an older version, for older programs, which some machines lack.
    if (!real) real = (__typeof__(real))dlvsym(RTLD_NEXT, "pthread_cond_timedwait", "GLIBC_2.3.2");
    if (!real) real = (__typeof__(real))dlsym(RTLD_NEXT, "pthread_cond_timedwait");
    struct timespec moved = right(deadline);
    return real(condition, mutex, &moved);
}

int pthread_cond_clockwait(
    pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock, const struct timespec *deadline) {
    REAL(pthread_cond_clockwait);
    struct timespec moved = right(deadline);
    return real(condition, mutex, clock, &moved);
}

int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict deadline) {
    REAL(sem_timedwait);
    struct timespec moved = right(deadline);
    return real(semaphore, &moved);
}
