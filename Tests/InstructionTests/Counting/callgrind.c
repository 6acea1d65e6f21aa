#include "counting.h"

#include <stdint.h>
#include <stdlib.h>

enum {
    running_on_valgrind = 0x1001,
    callgrind = 'C' << 24 | 'T' << 16,
    toggle_collect = callgrind + 2,
    dump_stats_at = callgrind + 3,
    start_instrumentation = callgrind + 4,
};

/// - Returns: valgrind's answer; 0 on a processor, and on unsupported architectures.
static uintptr_t request(uintptr_t code, uintptr_t argument) {
    volatile uintptr_t words[6] = {code, argument, 0, 0, 0, 0};
    uintptr_t answer = 0;
#if defined(__x86_64__)
    __asm__ volatile("rolq $3, %%rdi; rolq $13, %%rdi; rolq $61, %%rdi; rolq $51, %%rdi; xchgq %%rbx, %%rbx"
                     : "=d"(answer)
                     : "a"(words), "0"(answer)
                     : "cc", "memory");
#elif defined(__aarch64__)
    register uintptr_t x3 __asm__("x3") = answer;
    register volatile uintptr_t *x4 __asm__("x4") = words;
    __asm__ volatile("ror x12, x12, #3; ror x12, x12, #13; ror x12, x12, #51; ror x12, x12, #61; orr x10, x10, x10"
                     : "+r"(x3)
                     : "r"(x4)
                     : "cc", "memory");
    answer = x3;
#endif
    return answer;
}

bool counting_is_possible(void) { return request(running_on_valgrind, 0) != 0; }

void counting_prepare(void) { request(start_instrumentation, 0); }

void counting_begin(void) { request(toggle_collect, 0); }

void counting_end(void) { request(toggle_collect, 0); }

void counting_write(const char *name) { request(dump_stats_at, (uintptr_t)name); }

int counting_allocate(void) {
    void *volatile block = malloc(48);
    block = realloc(block, 4800);
    free(block);
    block = calloc(2, 24);
    free(block);
    void *aligned = NULL;
    if (posix_memalign(&aligned, 64, 48) != 0) return 0;
    block = aligned;
    free(block);
    return 4;
}
