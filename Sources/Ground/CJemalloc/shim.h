// jemalloc; what is here takes values by address, and is not unsafe for those who call it.
#include <jemalloc/jemalloc.h>
#include <stdbool.h>

// Starts the threads that give freed memory back (jemalloc(3), "background_thread"). Returns 0, or a number of errno.
static inline int watchwise_allocator_purge_in_background(void) {
    bool is_on = true;
    return mallctl("background_thread", NULL, NULL, &is_on, sizeof is_on);
}

// The version and its commit, such as "5.3.0-0-g54eaed1d8b56"; NULL where another allocator stands in front of this one.
static inline const char *watchwise_allocator_version(void) {
    const char *version = NULL;
    size_t size = sizeof version;
    return mallctl("version", &version, &size, NULL, 0) == 0 ? version : NULL;
}
