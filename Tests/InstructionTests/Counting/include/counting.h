// What a program asks of callgrind while it runs under it: which instructions to count, and to write them down. And a clock
// that stands still, so that what is counted does not depend on how long it takes.
//
// The requests are a sequence of rotations that does nothing on a processor and that valgrind recognises; their encoding
// is promised to stay (valgrind.h, "this is the interface between the client and the tool"). Written out here because the
// header comes with valgrind, which building must not need.

#pragma once

#include <stdbool.h>
#include <stdint.h>

/// Whether the program runs under valgrind, which counts; elsewhere the others do nothing.
bool counting_is_possible(void);

/// Instruments from here on, without counting yet. `--instr-atstart=no` lets what came before run faster.
void counting_prepare(void);

/// Counts from here on, from where `counting_write` was before.
void counting_begin(void);

/// Counts no longer.
void counting_end(void);

/// Writes what was counted to a file of its own, under a name.
void counting_write(const char *name);

/// Allocates and frees in all ways there are, which the compiler may not take away: what the counting is held against.
/// - Returns: how many allocations that were.
int counting_allocate(void);

/// Lets the time of the whole program go on, which it does not by itself.
void clock_advance(int64_t milliseconds);

/// Nanoseconds of the machine's own clock, which goes on.
int64_t clock_nanoseconds(void);
