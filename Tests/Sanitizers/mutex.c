// A library for LD_PRELOAD that reports the operations of Swift's `Mutex` to the thread sanitizer.
//
// Without contention a Mutex is taken and released by atomics that are compiled into our own code, which the sanitizer
// sees. With contention it is taken and released by the kernel (FUTEX_LOCK_PI), called from libswiftSynchronization,
// which the sanitizer does not see: it then reports a race between two bodies of `withLock` (`run` shows it).
// Suppressing those reports would hide real races in such bodies. Instead, this library reports the truth: a slow lock
// acquires what the last unlock has released. Everything else is checked as before.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

extern void __tsan_acquire(void *) __attribute__((weak));
extern void __tsan_release(void *) __attribute__((weak));

SWIFT void slow_lock(uint32_t thread, SELF void *mutex) __asm__(LOCK);
SWIFT void slow_unlock(SELF void *mutex) __asm__(UNLOCK);

SWIFT void slow_lock(uint32_t thread, SELF void *mutex) {
    static SWIFT void (*real)(uint32_t, SELF void *);
    if (!real) real = (SWIFT void (*)(uint32_t, SELF void *))dlsym(RTLD_NEXT, LOCK);
    real(thread, mutex);
    if (__tsan_acquire) __tsan_acquire(mutex);
}

SWIFT void slow_unlock(SELF void *mutex) {
    static SWIFT void (*real)(SELF void *);
    if (!real) real = (SWIFT void (*)(SELF void *))dlsym(RTLD_NEXT, UNLOCK);
    if (__tsan_release) __tsan_release(mutex);
    real(mutex);
}
