// The interfaces between the parts of the simulated kernel.
#ifndef KERNEL_H
#define KERNEL_H

#include "simulated_kernel.h"
#include <stddef.h>

/// The kinds of entries in a trace.
enum sim_event {
    EVENT_TIMER = 1, EVENT_ASYNC, EVENT_READ, EVENT_WRITE, EVENT_CONNECT, EVENT_ACCEPT, EVENT_CLOSE,
    EVENT_MOVE, EVENT_RESET, EVENT_DISK_WRITE, EVENT_DISK_SYNC, EVENT_DISK_TRUNCATE, EVENT_DISK_FAULT, EVENT_CUT,
    EVENT_NOTE,
};

/// Mixes an event and its bytes into the trace.
void sim_trace_event(enum sim_event event, uint64_t where, const void *bytes, size_t count);

void network_begin(void);
void disk_begin(void);
void loops_begin(void);

/// The process of new loops.
extern int32_t sim_process;

#endif
