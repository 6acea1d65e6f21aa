// A handle of libuv and its loop in the simulated kernel; libuv's own structs only point here.
#ifndef LOOP_H
#define LOOP_H

#include "kernel.h"
#include <uv.h>

struct sim_loop {
    int32_t number, process;
    int64_t now;
    bool was_busy;
    struct sim_handle *handles, *last, *closing;
    struct sim_loop *next;
};

struct sim_handle {
    uv_handle_t *uv;
    uv_handle_type kind;
    struct sim_loop *loop;
    bool is_active, is_closing;
    uv_close_cb close;
    struct sim_handle *next, *previous, *next_closing;
    // Timer.
    int64_t due, repeat;
    uint64_t order;
    uv_timer_cb timer;
    // Wake-up and hooks.
    bool is_rung;
    uv_async_cb async;
    uv_prepare_cb hook;
    // Listener and connection: a descriptor of the network.
    int fd;
    uv_poll_cb poll;
    uv_alloc_cb lend;
    uv_read_cb read;
    uv_connect_t *connect;
    uv_write_t *write;
    const uint8_t *unwritten;
    size_t unwritten_count;
};

static inline struct sim_handle *sim_handle_of(const void *uv) {
    return ((const uv_handle_t *)uv)->u.reserved[0];
}

// The network's functions for handles.
bool tcp_is_ready(const struct sim_handle *handle);
void tcp_events(struct sim_handle *handle);
void tcp_close(struct sim_handle *handle);
void tcp_closed(struct sim_handle *handle);
void tcp_kill(struct sim_handle *handle, bool silently);
bool listener_is_ready(int fd);
void listener_kill(int fd);

#endif
