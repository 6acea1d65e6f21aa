// libuv's loops, timers, wake-ups and hooks, turned by hand: one call of `uv_run` is one turn and never waits.
#include "loop.h"
#include <stdlib.h>
#include <string.h>

static struct sim_loop *loops;
static int32_t loop_count;
static uint64_t timer_order;

void loops_begin(void) {
    if (loops) abort();  // a loop of the last run has not ended
    loop_count = 0;
    timer_order = 0;
}

static struct sim_loop *find(int32_t number) {
    struct sim_loop *loop = loops;
    while (loop && loop->number != number) loop = loop->next;
    return loop;
}

void sim_set_process(int32_t process) { sim_process = process; }
int32_t sim_last_loop(void) { return loop_count; }

// MARK: Handles

/// Registers a handle whose uv part was just initialised.
static struct sim_handle *add(uv_loop_t *loop, void *uv, uv_handle_type kind) {
    struct sim_handle *handle = calloc(1, sizeof *handle);
    uv_handle_t *base = uv;
    base->loop = loop;
    base->type = kind;
    base->u.reserved[0] = handle;
    handle->uv = base;
    handle->kind = kind;
    handle->loop = loop->internal_fields;
    handle->fd = -1;
    // In the order of their making, as libuv visits them.
    handle->previous = handle->loop->last;
    if (handle->previous) handle->previous->next = handle;
    else handle->loop->handles = handle;
    handle->loop->last = handle;
    return handle;
}

static void drop(struct sim_handle *handle) {
    if (handle->previous) handle->previous->next = handle->next;
    else handle->loop->handles = handle->next;
    if (handle->next) handle->next->previous = handle->previous;
    else handle->loop->last = handle->previous;
    free(handle);
}

void uv_close(uv_handle_t *uv, uv_close_cb callback) {
    struct sim_handle *handle = sim_handle_of(uv);
    if (handle->is_closing) abort();
    handle->is_closing = true;
    handle->is_active = false;
    handle->close = callback;
    if (handle->kind == UV_TCP) tcp_close(handle);
    // libuv closes in the reverse order of closing.
    handle->next_closing = handle->loop->closing;
    handle->loop->closing = handle;
}

int uv_is_closing(const uv_handle_t *uv) { return sim_handle_of(uv)->is_closing; }
int uv_is_active(const uv_handle_t *uv) { return sim_handle_of(uv)->is_active; }
uv_handle_type uv_handle_get_type(const uv_handle_t *uv) { return sim_handle_of(uv)->kind; }

int uv_async_init(uv_loop_t *loop, uv_async_t *uv, uv_async_cb callback) {
    struct sim_handle *handle = add(loop, uv, UV_ASYNC);
    handle->async = callback;
    handle->is_active = true;
    return 0;
}

int uv_async_send(uv_async_t *uv) {
    sim_handle_of(uv)->is_rung = true;
    return 0;
}

#define HOOK(kind, KIND)                                                   \
    int uv_##kind##_init(uv_loop_t *loop, uv_##kind##_t *uv) {             \
        add(loop, uv, UV_##KIND);                                          \
        return 0;                                                          \
    }                                                                      \
    int uv_##kind##_start(uv_##kind##_t *uv, uv_##kind##_cb callback) {    \
        sim_handle_of(uv)->hook = (uv_prepare_cb)callback;                 \
        sim_handle_of(uv)->is_active = true;                               \
        return 0;                                                          \
    }                                                                      \
    int uv_##kind##_stop(uv_##kind##_t *uv) {                              \
        sim_handle_of(uv)->is_active = false;                              \
        return 0;                                                          \
    }
HOOK(prepare, PREPARE)
HOOK(check, CHECK)
HOOK(idle, IDLE)

int uv_timer_init(uv_loop_t *loop, uv_timer_t *uv) {
    add(loop, uv, UV_TIMER);
    return 0;
}

int uv_timer_start(uv_timer_t *uv, uv_timer_cb callback, uint64_t delay, uint64_t repeat) {
    struct sim_handle *handle = sim_handle_of(uv);
    if (handle->is_closing) return UV_EINVAL;
    handle->timer = callback;
    handle->due = handle->loop->now + (int64_t)delay;
    handle->repeat = (int64_t)repeat;
    handle->order = ++timer_order;
    handle->is_active = true;
    return 0;
}

int uv_timer_stop(uv_timer_t *uv) {
    sim_handle_of(uv)->is_active = false;
    return 0;
}

int uv_poll_init(uv_loop_t *loop, uv_poll_t *uv, int fd) {
    add(loop, uv, UV_POLL)->fd = fd;
    return 0;
}

int uv_poll_start(uv_poll_t *uv, int events, uv_poll_cb callback) {
    (void)events;
    sim_handle_of(uv)->poll = callback;
    sim_handle_of(uv)->is_active = true;
    return 0;
}

int uv_poll_stop(uv_poll_t *uv) {
    sim_handle_of(uv)->is_active = false;
    return 0;
}

int uv_tcp_init(uv_loop_t *loop, uv_tcp_t *uv) {
    add(loop, uv, UV_TCP);
    return 0;
}

// MARK: Loops

int uv_loop_init(uv_loop_t *uv) {
    memset(uv, 0, sizeof *uv);
    struct sim_loop *loop = calloc(1, sizeof *loop);
    loop->number = ++loop_count;
    loop->process = sim_process;
    loop->now = sim_now();
    loop->next = loops;
    loops = loop;
    uv->internal_fields = loop;
    return 0;
}

int uv_loop_close(uv_loop_t *uv) {
    struct sim_loop *loop = uv->internal_fields, **link = &loops;
    if (loop->handles) return UV_EBUSY;
    while (*link != loop) link = &(*link)->next;
    *link = loop->next;
    free(loop);
    return 0;
}

int uv_loop_alive(const uv_loop_t *uv) {
    const struct sim_loop *loop = uv->internal_fields;
    for (const struct sim_handle *handle = loop->handles; handle; handle = handle->next)
        if (handle->is_active || handle->is_closing) return 1;
    return 0;
}

void uv_stop(uv_loop_t *uv) { (void)uv; }
uint64_t uv_now(const uv_loop_t *uv) { return (uint64_t)((struct sim_loop *)uv->internal_fields)->now; }

void uv_walk(uv_loop_t *uv, uv_walk_cb callback, void *argument) {
    struct sim_loop *loop = uv->internal_fields;
    for (struct sim_handle *handle = loop->handles, *next; handle; handle = next) {
        next = handle->next;
        callback(handle->uv, argument);
    }
}

static struct sim_handle *next_timer(const struct sim_loop *loop) {
    struct sim_handle *first = NULL;
    for (struct sim_handle *handle = loop->handles; handle; handle = handle->next) {
        if (handle->kind != UV_TIMER || !handle->is_active) continue;
        if (!first || handle->due < first->due || (handle->due == first->due && handle->order < first->order))
            first = handle;
    }
    return first;
}

static void run_timers(struct sim_loop *loop) {
    for (struct sim_handle *timer; (timer = next_timer(loop)) && timer->due <= loop->now;) {
        timer->is_active = false;
        if (timer->repeat > 0) {
            timer->due = loop->now + timer->repeat;
            timer->order = ++timer_order;
            timer->is_active = true;
        }
        sim_trace_event(EVENT_TIMER, (uint64_t)loop->number, NULL, 0);
        loop->was_busy = true;
        timer->timer((uv_timer_t *)timer->uv);
    }
}

static void run_hooks(struct sim_loop *loop, uv_handle_type kind) {
    for (struct sim_handle *handle = loop->handles, *next; handle; handle = next) {
        next = handle->next;
        if (handle->kind == kind && handle->is_active) handle->hook((uv_prepare_t *)handle->uv);
    }
}

static bool has_event(const struct sim_handle *handle) {
    if (handle->is_closing) return false;
    switch (handle->kind) {
    case UV_ASYNC: return handle->is_rung;
    case UV_POLL: return handle->is_active && listener_is_ready(handle->fd);
    case UV_TCP: return tcp_is_ready(handle);
    default: return false;
    }
}

/// Calls the callbacks of ready handles in a random order; a handle closed meanwhile is kept until the end of the turn.
static void poll_events(struct sim_loop *loop) {
    struct sim_handle *ready[256];
    size_t count = 0;
    for (struct sim_handle *handle = loop->handles; handle && count < 256; handle = handle->next)
        if (has_event(handle)) ready[count++] = handle;
    for (; count > 0; count--) {
        size_t index = (size_t)sim_below(count);
        struct sim_handle *handle = ready[index];
        ready[index] = ready[count - 1];
        if (!has_event(handle)) continue;
        loop->was_busy = true;
        switch (handle->kind) {
        case UV_ASYNC:
            handle->is_rung = false;
            sim_trace_event(EVENT_ASYNC, (uint64_t)loop->number, NULL, 0);
            handle->async((uv_async_t *)handle->uv);
            break;
        case UV_POLL: handle->poll((uv_poll_t *)handle->uv, 0, UV_READABLE); break;
        default: tcp_events(handle); break;
        }
    }
}

static void run_closing(struct sim_loop *loop) {
    struct sim_handle *handle = loop->closing;
    loop->closing = NULL;
    if (handle) loop->was_busy = true;
    while (handle) {
        struct sim_handle *next = handle->next_closing;
        uv_handle_t *uv = handle->uv;
        if (handle->kind == UV_TCP) tcp_closed(handle);
        uv_close_cb callback = handle->close;
        drop(handle);
        if (callback) callback(uv);
        handle = next;
    }
}

int uv_run(uv_loop_t *uv, uv_run_mode mode) {
    (void)mode;
    struct sim_loop *loop = uv->internal_fields;
    loop->now = sim_now();
    loop->was_busy = false;
    run_timers(loop);
    run_hooks(loop, UV_IDLE);
    run_hooks(loop, UV_PREPARE);
    poll_events(loop);
    run_hooks(loop, UV_CHECK);
    run_closing(loop);
    return uv_loop_alive(uv);
}

bool sim_is_ready(int32_t number) {
    struct sim_loop *loop = find(number);
    if (!loop) return false;
    // The writes of callbacks leave at the beginning of the next turn.
    if (loop->was_busy || loop->closing) return true;
    for (const struct sim_handle *handle = loop->handles; handle; handle = handle->next)
        if (has_event(handle) || (handle->kind == UV_IDLE && handle->is_active)) return true;
    const struct sim_handle *timer = next_timer(loop);
    return timer && timer->due <= sim_now();
}

int64_t sim_next_deadline(void) {
    int64_t first = -1;
    for (const struct sim_loop *loop = loops; loop; loop = loop->next) {
        const struct sim_handle *timer = next_timer(loop);
        if (timer && (first < 0 || timer->due < first)) first = timer->due;
    }
    return first;
}

int64_t sim_next_wake(void) {
    int64_t first = -1;
    for (const struct sim_loop *loop = loops; loop; loop = loop->next) {
        const struct sim_handle *timer = next_timer(loop);
        if (timer && timer->due > sim_now() && (first < 0 || timer->due < first)) first = timer->due;
    }
    return first;
}

void sim_kill_process(int32_t process, bool silently) {
    for (struct sim_loop *loop = loops; loop; loop = loop->next) {
        if (loop->process != process) continue;
        for (struct sim_handle *handle = loop->handles; handle; handle = handle->next) {
            if (handle->kind == UV_TCP) tcp_kill(handle, silently);
            if (handle->kind == UV_POLL) listener_kill(handle->fd);
        }
    }
}

int32_t sim_socket_count(int32_t process) {
    int32_t count = 0;
    for (struct sim_loop *loop = loops; loop; loop = loop->next)
        for (struct sim_handle *handle = loop->handles; loop->process == process && handle; handle = handle->next)
            count += handle->kind == UV_TCP;
    return count;
}
