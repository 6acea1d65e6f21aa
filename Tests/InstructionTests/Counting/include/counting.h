// Requests of a program to callgrind: which instructions to count, and to write the counts. And a clock that stands still,
// so that the counts do not depend on the time that they take.
//
// The requests are a sequence of rotations that does nothing on a processor and that valgrind recognises; their encoding
// is promised to stay (valgrind.h, "this is the interface between the client and the tool"). Written out here because the
// header comes with valgrind, which building must not need.

#pragma once

#include <stdbool.h>
#include <stdint.h>

/// Whether the program runs under valgrind; otherwise the other functions do nothing.
bool counting_is_possible(void);

/// Instruments the code from here on, without counting yet. With `--instr-atstart=no` earlier code runs faster.
void counting_prepare(void);

/// Counts from here on, and adds to the counts since the last `counting_write`.
void counting_begin(void);

/// Stops counting.
void counting_end(void);

/// Writes the counts to a file of their own, with a name.
void counting_write(const char *name);

/// Steps of SQLite's statements so far, commits among them, and writes to sockets with their bytes; of the whole program.
int64_t counting_statements(void);
int64_t counting_commits(void);
int64_t counting_socket_writes(void);
int64_t counting_socket_bytes(void);

/// Allocates and frees in all possible ways, which the compiler must not remove: a check of the counting.
/// - Returns: the number of allocations.
int counting_allocate(void);

/// Advances the time of the whole program, which otherwise stands still.
void clock_advance(int64_t milliseconds);

/// Nanoseconds of the machine's real clock.
int64_t clock_nanoseconds(void);
