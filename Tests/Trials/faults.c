// A library for LD_PRELOAD that makes the disk and the clock of one process fail, as the tests demand.
//
// FAULT_ROOT is the folder whose files fail, FAULT_CONTROL a file of sizeof(struct control) bytes, mapped by both
// sides: the test writes rules into it while the server runs. With FAULT_SHADOW, a folder, the library also keeps what a
// disk would hold if the power failed now, as the kernel behaves on ext4: a page is on the disk when an fsync after its
// last write has succeeded; an fsync that fails leaves the page in memory, calls it clean, and never writes it again.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { WRITE, SYNC, TRUNCATE, OPEN, READ, KINDS };
enum { PAGE = 4096, FILES = 2, PAGES = 65536, DESCRIPTORS = 4096 };

struct rule {
    _Atomic int64_t calls;  // so far
    _Atomic int64_t from;   // number of the first call that fails; 0 for none
    _Atomic int64_t count;  // how many fail
    _Atomic int64_t error;  // their errno
    _Atomic int64_t delay;  // microseconds, of every call
    _Atomic int64_t half;   // a failing write writes its first half
    _Atomic int64_t thread; // only calls of threads whose name begins with these eight bytes; 0 is every thread
};

struct control {
    struct rule rules[KINDS];
    _Atomic int64_t clock;         // seconds that the wall clock is ahead
    uint8_t dirty[FILES][PAGES];   // pages written since the last fsync, successful or not
};

static struct control *control;
static const char *root, *shadow;
static size_t root_length;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
// For each descriptor: 0 is not ours, 1 is ours, 2 + i is the shadowed file i.
static uint8_t kinds[DESCRIPTORS];
static const char *const shadowed[FILES] = {"/watchwise.db", "/watchwise.db-wal"};

#define REAL(name) \
    static __typeof__(&name) real; \
    if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

__attribute__((constructor)) static void start(void) {
    const char *path = getenv("FAULT_CONTROL");
    root = getenv("FAULT_ROOT");
    shadow = getenv("FAULT_SHADOW");
    if (!path || !root) return;
    root_length = strlen(root);
    int file = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0);
    if (file < 0) return;
    void *memory = mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    // The server may have been started without standard error: then this was its number.
    syscall(SYS_close, file);
    if (memory != MAP_FAILED) control = memory;
}

// Returns -1 with errno set when this call must fail.
static int strike(int kind) {
    struct rule *rule = &control->rules[kind];
    if (rule->thread) {
        char name[16] = {0};
        int64_t first;
        prctl(PR_GET_NAME, name);
        memcpy(&first, name, sizeof first);
        if (first != rule->thread) return 0;
    }
    int64_t number = ++rule->calls;
    if (rule->delay > 0) {
        struct timespec time = {rule->delay / 1000000, rule->delay % 1000000 * 1000};
        nanosleep(&time, NULL);
    }
    if (rule->from == 0 || number < rule->from || number >= rule->from + rule->count) return 0;
    errno = (int)rule->error;
    return -1;
}

static int is_ours(int file) { return control && file >= 0 && file < DESCRIPTORS && kinds[file]; }

static int opened(int file, const char *path) {
    if (file < 0 || file >= DESCRIPTORS || !control) return file;
    kinds[file] = 1;
    for (int i = 0; i < FILES; i++)
        if (strcmp(path + root_length, shadowed[i]) == 0) kinds[file] = (uint8_t)(2 + i);
    return file;
}

static int is_below(const char *path) {
    return control && strncmp(path, root, root_length) == 0 && path[root_length] == '/';
}

static void dirty(int file, int64_t offset, int64_t length) {
    if (!shadow || kinds[file] < 2 || length <= 0) return;
    for (int64_t page = offset / PAGE; page <= (offset + length - 1) / PAGE && page < PAGES; page++)
        control->dirty[kinds[file] - 2][page] = 1;
}

// The effect of an fsync on the disk.
static void flush(int file, int is_good) {
    if (!shadow || kinds[file] < 2) return;
    int index = kinds[file] - 2;
    char path[PATH_MAX], page[PAGE];
    snprintf(path, sizeof path, "%s%s", shadow, shadowed[index]);
    pthread_mutex_lock(&lock);
    int copy = is_good ? (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
    for (int64_t number = 0; number < PAGES; number++) {
        if (!control->dirty[index][number]) continue;
        control->dirty[index][number] = 0;
        if (copy < 0) continue;
        int64_t length = syscall(SYS_pread64, file, page, PAGE, number * PAGE);
        if (length > 0) syscall(SYS_pwrite64, copy, page, length, number * PAGE);
    }
    struct stat status;
    if (copy >= 0 && fstat(file, &status) == 0) syscall(SYS_ftruncate, copy, status.st_size);
    if (copy >= 0) syscall(SYS_close, copy);
    pthread_mutex_unlock(&lock);
}

#define OPEN_BODY(name, path, call) \
    mode_t mode = 0; \
    if (flags & (O_CREAT | O_TMPFILE)) { \
        va_list list; \
        va_start(list, flags); \
        mode = va_arg(list, mode_t); \
        va_end(list); \
    } \
    REAL(name); \
    if (!is_below(path)) return call; \
    if (strike(OPEN)) return -1; \
    return opened(call, path)

int open(const char *path, int flags, ...) { OPEN_BODY(open, path, real(path, flags, mode)); }
int open64(const char *path, int flags, ...) { OPEN_BODY(open64, path, real(path, flags, mode)); }
int openat(int at, const char *path, int flags, ...) { OPEN_BODY(openat, path, real(at, path, flags, mode)); }
int openat64(int at, const char *path, int flags, ...) { OPEN_BODY(openat64, path, real(at, path, flags, mode)); }

int close(int file) {
    REAL(close);
    if (file >= 0 && file < DESCRIPTORS) kinds[file] = 0;
    return real(file);
}

#define WRITE_BODY(name, at, full, first) \
    REAL(name); \
    if (!is_ours(file)) return full; \
    if (strike(WRITE)) { \
        int error = errno; \
        size_t half = length / 2; \
        if (control->rules[WRITE].half && half > 0 && first > 0) dirty(file, at, (int64_t)half); \
        errno = error; \
        return -1; \
    } \
    ssize_t written = full; \
    dirty(file, at, written); \
    return written

ssize_t pwrite(int file, const void *bytes, size_t length, off_t offset) {
    WRITE_BODY(pwrite, offset, real(file, bytes, length, offset), real(file, bytes, half, offset));
}
ssize_t pwrite64(int file, const void *bytes, size_t length, off64_t offset) {
    WRITE_BODY(pwrite64, offset, real(file, bytes, length, offset), real(file, bytes, half, offset));
}
ssize_t write(int file, const void *bytes, size_t length) {
    off_t offset = is_ours(file) ? lseek(file, 0, SEEK_CUR) : 0;
    WRITE_BODY(write, offset, real(file, bytes, length), real(file, bytes, half));
}

// Only of the database and its log.
#define READ_BODY(name, call) \
    REAL(name); \
    if (is_ours(file) && kinds[file] >= 2 && strike(READ)) return -1; \
    return call

ssize_t pread(int file, void *bytes, size_t length, off_t offset) {
    READ_BODY(pread, real(file, bytes, length, offset));
}
ssize_t pread64(int file, void *bytes, size_t length, off64_t offset) {
    READ_BODY(pread64, real(file, bytes, length, offset));
}
ssize_t read(int file, void *bytes, size_t length) { READ_BODY(read, real(file, bytes, length)); }

#define SYNC_BODY(name) \
    REAL(name); \
    if (!is_ours(file)) return real(file); \
    if (strike(SYNC)) { \
        int error = errno; \
        flush(file, 0); \
        errno = error; \
        return -1; \
    } \
    /* The machine does not lose power: the shadow is the disk, and a real fsync would only cost time. */ \
    if (!shadow) return real(file); \
    flush(file, 1); \
    return 0

int fsync(int file) { SYNC_BODY(fsync); }
int fdatasync(int file) { SYNC_BODY(fdatasync); }

#define TRUNCATE_BODY(name) \
    REAL(name); \
    if (is_ours(file) && strike(TRUNCATE)) return -1; \
    return real(file, length)

int ftruncate(int file, off_t length) { TRUNCATE_BODY(ftruncate); }
int ftruncate64(int file, off64_t length) { TRUNCATE_BODY(ftruncate64); }

int unlink(const char *path) {
    REAL(unlink);
    if (shadow && is_below(path) && strcmp(path + root_length, shadowed[1]) == 0) {
        char copy[PATH_MAX];
        snprintf(copy, sizeof copy, "%s%s", shadow, shadowed[1]);
        real(copy);
        memset(control->dirty[1], 0, PAGES);
    }
    return real(path);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    REAL(clock_gettime);
    int result = real(clock, time);
    if (result == 0 && control && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        time->tv_sec += control->clock;
    return result;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    REAL(gettimeofday);
    int result = real(time, zone);
    if (result == 0 && control) time->tv_sec += control->clock;
    return result;
}

time_t time(time_t *place) {
    REAL(time);
    time_t now = real(NULL) + (control ? control->clock : 0);
    if (place) *place = now;
    return now;
}
