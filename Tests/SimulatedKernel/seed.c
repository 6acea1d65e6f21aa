// The seed, the trace and the clocks; and every source of randomness of the program.
#define _GNU_SOURCE
#include "kernel.h"
#include <dlfcn.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static uint64_t state;
static uint64_t trace;
static bool is_told;
static int64_t now, wall;
/// The processor time of the stage's thread, in microseconds, and how often it left the processor: waiting, and preempted.
static int64_t worked;
static long waits, preemptions;
/// True for the program's first thread, whose turns the simulation decides.
static __thread bool is_on_stage;
int32_t sim_process;

uint64_t sim_random(void) {
    state += 0x9E3779B97F4A7C15u;
    uint64_t value = state;
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9u;
    value = (value ^ value >> 27) * 0x94D049BB133111EBu;
    return value ^ value >> 31;
}

uint64_t sim_below(uint64_t bound) { return bound < 2 ? 0 : sim_random() % bound; }

void sim_begin(uint64_t seed) {
    state = seed;
    trace = 0xcbf29ce484222325u;
    now = 1000;
    worked = waits = preemptions = 0;
    wall = 1795255200000;  // 2026-11-21T10:00:00Z
    sim_process = 0;
    loops_begin();
    network_begin();
    disk_begin();
    // SQLite seeds its generator once for each process: this begins again.
    sqlite3_randomness(0, NULL);
}

static void mix(uint64_t value) {
    trace ^= value;
    trace *= 0x100000001b3u;
    trace ^= trace >> 29;
}

void sim_trace_event(enum sim_event event, uint64_t where, const void *bytes, size_t count) {
    mix((uint64_t)event << 56 ^ where);
    mix((uint64_t)now);
    mix(count);
    const uint8_t *at = bytes;
    size_t left = bytes ? count : 0;
    for (; left >= 8; left -= 8, at += 8) {
        uint64_t word;
        memcpy(&word, at, 8);
        mix(word);
    }
    for (; left > 0; left--, at++) mix(*at);
    if (is_told) {
        static const char *names[] = {"", "timer", "async", "read", "write", "connect", "accept", "close",
            "move", "reset", "disk-write", "disk-sync", "disk-truncate", "disk-fault", "power-cut", "note"};
        fprintf(stderr, "%lld %s %llu %zu %016llx\n", (long long)now, names[event], (unsigned long long)where, count,
            (unsigned long long)trace);
    }
}

void sim_note(uint64_t value) { sim_trace_event(EVENT_NOTE, value, NULL, 0); }
uint64_t sim_trace(void) { return trace; }
void sim_say_at_once(void) { setvbuf(stdout, NULL, _IOLBF, 0); }
void sim_tell(bool told) { is_told = told; }

void sim_advance(int64_t milliseconds) {
    now += milliseconds;
    wall += milliseconds;
}

void sim_jump_wall(int64_t milliseconds) { wall += milliseconds; }
int64_t sim_now(void) { return now; }
int64_t sim_wall(void) { return wall; }

/// Work costs what the seed says, not what this machine needs for it: the server lets connections and users wait by it, so
/// a busy machine would give another run. Most pieces are short; a few are as long as the whole time of a turn.
static void work(void) { worked += 1 + (int64_t)sim_below(sim_below(64) == 0 ? 5000 : 60); }

/// The clock that nobody sets, from which ages are computed. The server gets the wall clock when it is made.
///
/// Threads of libraries that wait in the background use the machine's own clock: with a clock that stands still, they
/// would check the time again and again, and use up a core.
int clock_gettime(clockid_t clock, struct timespec *time) {
    if (!is_on_stage) return (int)syscall(SYS_clock_gettime, clock, time);
    switch (clock) {
    case CLOCK_MONOTONIC: case CLOCK_MONOTONIC_RAW: case CLOCK_MONOTONIC_COARSE: case CLOCK_BOOTTIME:
        time->tv_sec = now / 1000;
        time->tv_nsec = now % 1000 * 1000000;
        return 0;
    case CLOCK_THREAD_CPUTIME_ID:
        work();
        time->tv_sec = worked / 1000000;
        time->tv_nsec = worked % 1000000 * 1000;
        return 0;
    default: return (int)syscall(SYS_clock_gettime, clock, time);
    }
}

/// The same for how often the thread left the processor, which decides whether lost time was its own.
int getrusage(__rusage_who_t who, struct rusage *usage) {
    if (!is_on_stage || who != RUSAGE_THREAD) return (int)syscall(SYS_getrusage, who, usage);
    memset(usage, 0, sizeof *usage);
    usage->ru_nvcsw = ++waits;
    usage->ru_nivcsw = preemptions += (long)sim_below(2);
    return 0;
}

// MARK: Randomness of the libraries

/// Swift seeds its hash tables once for each process, before any code of ours, unless the environment forbids it: the
/// program starts itself again in such an environment. Their order would differ from run to run. It runs on the stage's thread.
__attribute__((constructor)) static void begin_program(int count, char **arguments) {
    (void)count;
    is_on_stage = true;
    const char *name = "SWIFT_DETERMINISTIC_HASHING";
    if (getenv(name)) return;
    setenv(name, "1", 1);
    execv("/proc/self/exe", arguments);
}

static void fill(void *bytes, size_t count) {
    uint8_t *at = bytes;
    while (count > 0) {
        uint64_t word = sim_random();
        size_t part = count < 8 ? count : 8;
        memcpy(at, &word, part);
        at += part;
        count -= part;
    }
}

/// Swift's SystemRandomNumberGenerator.
void swift_stdlib_random(void *bytes, size_t count) { fill(bytes, count); }

/// The same where it was not inlined: the library's own function asks the system.
long syscall(long number, ...) {
    static long (*system_call)(long, ...);
    if (!system_call) system_call = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
    long values[6];
    va_list list;
    va_start(list, number);
    for (int index = 0; index < 6; index++) values[index] = va_arg(list, long);
    va_end(list);
    if (number == SYS_getrandom) return fill((void *)values[0], (size_t)values[1]), values[1];
    return system_call(number, values[0], values[1], values[2], values[3], values[4], values[5]);
}

/// OpenSSL's.
int RAND_bytes(unsigned char *bytes, int count) {
    fill(bytes, (size_t)count);
    return 1;
}
