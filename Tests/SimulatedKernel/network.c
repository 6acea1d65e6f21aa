// Sockets and libuv's TCP streams over a network in memory, which delays, splits, holds back and resets as the seed decides.
#include "loop.h"
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/// Descriptors of the simulation begin here; those below are the real kernel's.
enum { FIRST_FD = 1 << 20, PORT_MIN = 20000, BACKLOG = 128 };

/// Bytes in one direction: `arrived` of them can be read, the rest is on its way.
struct pipe {
    uint8_t *bytes;
    size_t start, count, arrived, room, capacity;
    /// Whether the writer has ended its side, and whether that has arrived, too.
    bool has_end, end_arrived;
    /// Nothing moves before this.
    int64_t held_until;
};

struct connection {
    struct pipe pipe[2];  // 0: from the client, 1: from the server
    /// The sockets: client's and server's. `is_reset`: the socket's next call fails.
    bool is_open[2], is_reset[2];
    /// A reset that is on its way to a socket.
    bool has_reset_under_way[2];
    bool is_accepted;
};

enum kind { FREE, PLAIN, LISTENING, CONNECTED };

struct descriptor {
    enum kind kind;
    int side;  // of a connection
    struct connection *connection;
    uint16_t port;
    struct connection *backlog[BACKLOG];
    size_t backlog_count;
};

static struct descriptor *descriptors;
static size_t descriptor_count;
static struct connection **connections;
static size_t connection_count;
static uint16_t next_port;
static int64_t delay_max;
static int32_t failing_accepts;

static void free_connection(struct connection *connection) {
    free(connection->pipe[0].bytes);
    free(connection->pipe[1].bytes);
    free(connection);
}

void network_begin(void) {
    for (size_t index = 0; index < connection_count; index++) free_connection(connections[index]);
    free(connections);
    free(descriptors);
    connections = NULL;
    descriptors = NULL;
    connection_count = descriptor_count = 0;
    next_port = PORT_MIN;
    delay_max = 0;
    failing_accepts = 0;
}

static struct descriptor *at(int fd) {
    size_t index = (size_t)(fd - FIRST_FD);
    return fd < FIRST_FD || index >= descriptor_count || descriptors[index].kind == FREE ? NULL : &descriptors[index];
}

static int make_descriptor(enum kind kind) {
    size_t index = 0;
    while (index < descriptor_count && descriptors[index].kind != FREE) index++;
    if (index == descriptor_count) descriptors = realloc(descriptors, ++descriptor_count * sizeof *descriptors);
    memset(&descriptors[index], 0, sizeof *descriptors);
    descriptors[index].kind = kind;
    return FIRST_FD + (int)index;
}

// MARK: Connections

static void collect(struct connection *connection) {
    if (connection->is_open[0] || connection->is_open[1]) return;
    for (size_t index = 0; index < connection_count; index++) {
        if (connections[index] != connection) continue;
        connections[index] = connections[--connection_count];
        free_connection(connection);
        return;
    }
}

static void clear(struct pipe *pipe) { pipe->start = pipe->count = pipe->arrived = 0; }

/// One end of a connection is gone, normally or not; the other notices it when the network has moved.
static void end_side(struct connection *connection, int side, bool is_reset) {
    if (!connection->is_open[side]) return;
    connection->is_open[side] = false;
    if (is_reset || connection->pipe[1 - side].count > 0) connection->has_reset_under_way[1 - side] = true;
    connection->pipe[side].has_end = true;
    clear(&connection->pipe[1 - side]);
    collect(connection);
}

static void append(struct pipe *pipe, const uint8_t *bytes, size_t count) {
    if (pipe->start > 0 && pipe->start + pipe->count + count > pipe->capacity) {
        memmove(pipe->bytes, pipe->bytes + pipe->start, pipe->count);
        pipe->start = 0;
    }
    if (pipe->count + count > pipe->capacity) {
        pipe->capacity = (pipe->count + count) * 2;
        pipe->bytes = realloc(pipe->bytes, pipe->capacity);
    }
    if (pipe->count == pipe->arrived && pipe->held_until <= sim_now())
        pipe->held_until = sim_now() + (int64_t)sim_below((uint64_t)delay_max + 1);
    memcpy(pipe->bytes + pipe->start + pipe->count, bytes, count);
    pipe->count += count;
}

/// How many bytes a socket's kernel accepts; 0 when it is full, below zero when the connection is broken.
static ssize_t put(struct connection *connection, int side, const uint8_t *bytes, size_t count) {
    if (connection->is_reset[side]) return UV_ECONNRESET;
    struct pipe *pipe = &connection->pipe[side];
    size_t room = pipe->room > pipe->count ? pipe->room - pipe->count : 0;
    if (count > room) count = room;
    append(pipe, bytes, count);
    return (ssize_t)count;
}

static bool may_move(const struct connection *connection, int side) {
    const struct pipe *pipe = &connection->pipe[side];
    if (pipe->held_until > sim_now()) return false;
    return connection->has_reset_under_way[1 - side] || pipe->count > pipe->arrived
        || (pipe->has_end && !pipe->end_arrived);
}

static void move(struct connection *connection, int side) {
    struct pipe *pipe = &connection->pipe[side];
    int other = 1 - side;
    size_t left = pipe->count - pipe->arrived;
    if (left > 0 && connection->is_open[other]) {
        uint64_t kind = delay_max == 0 ? 0 : sim_below(8);
        size_t part = kind < 4 ? left : kind < 7 ? 1 + (size_t)sim_below(left) : 1 + (size_t)sim_below(16);
        if (part > left) part = left;
        pipe->arrived += part;
        sim_trace_event(EVENT_MOVE, (uint64_t)side, NULL, part);
        if (delay_max > 0 && sim_below(4) == 0)
            pipe->held_until = sim_now() + (int64_t)sim_below((uint64_t)delay_max + 1);
        return;
    }
    if (left > 0) {
        // The other end is gone.
        clear(pipe);
        connection->has_reset_under_way[side] = connection->is_open[side];
    }
    if (connection->has_reset_under_way[other]) {
        connection->has_reset_under_way[other] = false;
        connection->is_reset[other] = connection->is_open[other];
        clear(&connection->pipe[side]);
        clear(&connection->pipe[other]);
        sim_trace_event(EVENT_RESET, (uint64_t)other, NULL, 0);
    } else if (pipe->has_end && pipe->count == pipe->arrived) {
        pipe->end_arrived = true;
    }
}

bool sim_move_bytes(void) {
    size_t first = (size_t)sim_below(connection_count);
    for (size_t index = 0; index < connection_count; index++) {
        struct connection *connection = connections[(first + index) % connection_count];
        int side = (int)sim_below(2);
        if (!may_move(connection, side)) side = 1 - side;
        if (!may_move(connection, side)) continue;
        move(connection, side);
        return true;
    }
    return false;
}

int64_t sim_next_arrival(void) {
    int64_t first = -1;
    for (size_t index = 0; index < connection_count; index++)
        for (int side = 0; side < 2; side++) {
            const struct pipe *pipe = &connections[index]->pipe[side];
            if (pipe->held_until <= sim_now()) continue;
            if (first < 0 || pipe->held_until < first) first = pipe->held_until;
        }
    return first;
}

void sim_set_delay(int64_t milliseconds) { delay_max = milliseconds; }
int32_t sim_connection_count(void) { return (int32_t)connection_count; }
void sim_fail_accepts(int32_t count) { failing_accepts = count; }

void sim_reset_connection(void) {
    if (connection_count == 0) return;
    struct connection *connection = connections[sim_below(connection_count)];
    for (int side = 0; side < 2; side++) {
        clear(&connection->pipe[side]);
        connection->is_reset[side] = connection->is_open[side];
    }
}

void sim_freeze_connection(int32_t directions, int64_t milliseconds) {
    if (connection_count == 0) return;
    struct connection *connection = connections[sim_below(connection_count)];
    for (int side = 0; side < 2; side++)
        if (directions & 1 << side) connection->pipe[side].held_until = sim_now() + milliseconds;
}

void sim_thaw(void) {
    for (size_t index = 0; index < connection_count; index++)
        connections[index]->pipe[0].held_until = connections[index]->pipe[1].held_until = 0;
}

// MARK: libuv's streams

static struct connection *connection_of(const struct sim_handle *handle, int *side) {
    struct descriptor *descriptor = at(handle->fd);
    if (!descriptor || descriptor->kind != CONNECTED) return NULL;
    *side = descriptor->side;
    return descriptor->connection;
}

bool tcp_is_ready(const struct sim_handle *handle) {
    int side;
    struct connection *connection = connection_of(handle, &side);
    if (handle->connect) return true;
    if (!connection) return false;
    const struct pipe *in = &connection->pipe[1 - side], *out = &connection->pipe[side];
    if (handle->write && (connection->is_reset[side] || out->count < out->room)) return true;
    return handle->read && (connection->is_reset[side] || in->arrived > 0 || in->end_arrived);
}

static void end_write(struct sim_handle *handle, int status) {
    uv_write_t *request = handle->write;
    handle->write = NULL;
    handle->unwritten_count = 0;
    request->cb(request, status);
}

static void read_some(struct sim_handle *handle, struct connection *connection, int side) {
    struct pipe *in = &connection->pipe[1 - side];
    uv_stream_t *stream = (uv_stream_t *)handle->uv;
    uv_buf_t buffer = uv_buf_init(NULL, 0);
    handle->lend(handle->uv, 65536, &buffer);
    if (buffer.len == 0) return handle->read(stream, UV_ENOBUFS, &buffer);
    if (connection->is_reset[side]) {
        uv_read_cb read = handle->read;
        handle->read = NULL;
        return read(stream, UV_ECONNRESET, &buffer);
    }
    if (in->arrived == 0) {
        uv_read_cb read = handle->read;
        handle->read = NULL;
        return read(stream, UV_EOF, &buffer);
    }
    size_t count = in->arrived < buffer.len ? in->arrived : buffer.len;
    memcpy(buffer.base, in->bytes + in->start, count);
    in->start += count;
    in->count -= count;
    in->arrived -= count;
    sim_trace_event(EVENT_READ, (uint64_t)handle->fd, buffer.base, count);
    handle->read(stream, (ssize_t)count, &buffer);
}

void tcp_events(struct sim_handle *handle) {
    int side = 0;
    struct connection *connection = connection_of(handle, &side);
    if (handle->connect) {
        uv_connect_t *request = handle->connect;
        handle->connect = NULL;
        int status = !connection || connection->is_reset[side] ? UV_ECONNREFUSED : 0;
        sim_trace_event(EVENT_CONNECT, (uint64_t)handle->fd, NULL, (size_t)-status);
        return request->cb(request, status);
    }
    if (handle->read && (connection->is_reset[side] || connection->pipe[1 - side].arrived > 0
            || connection->pipe[1 - side].end_arrived)) {
        read_some(handle, connection, side);
        if (handle->is_closing) return;
    }
    if (!handle->write) return;
    ssize_t taken = put(connection, side, handle->unwritten, handle->unwritten_count);
    if (taken < 0) return end_write(handle, (int)taken);
    if (taken > 0) sim_trace_event(EVENT_WRITE, (uint64_t)handle->fd, handle->unwritten, (size_t)taken);
    handle->unwritten += taken;
    handle->unwritten_count -= (size_t)taken;
    if (handle->unwritten_count == 0) end_write(handle, 0);
}

int uv_read_start(uv_stream_t *uv, uv_alloc_cb lend, uv_read_cb read) {
    struct sim_handle *handle = sim_handle_of(uv);
    if (handle->is_closing) return UV_EINVAL;
    handle->lend = lend;
    handle->read = read;
    handle->is_active = true;
    return 0;
}

int uv_read_stop(uv_stream_t *uv) {
    sim_handle_of(uv)->read = NULL;
    return 0;
}

int uv_try_write(uv_stream_t *uv, const uv_buf_t buffers[], unsigned int count) {
    struct sim_handle *handle = sim_handle_of(uv);
    int side;
    struct connection *connection = connection_of(handle, &side);
    if (handle->connect || handle->write) return UV_EAGAIN;
    if (!connection) return UV_EBADF;
    size_t sum = 0;
    for (unsigned int index = 0; index < count; index++) {
        ssize_t taken = put(connection, side, (const uint8_t *)buffers[index].base, buffers[index].len);
        if (taken < 0) return (int)taken;
        sim_trace_event(EVENT_WRITE, (uint64_t)handle->fd, buffers[index].base, (size_t)taken);
        sum += (size_t)taken;
        if ((size_t)taken < buffers[index].len) break;
    }
    return sum == 0 ? UV_EAGAIN : (int)sum;
}

ssize_t send(int fd, const void *bytes, size_t count, int flags) {
    if (fd < FIRST_FD) return syscall(SYS_sendto, fd, bytes, count, flags, NULL, 0);
    struct descriptor *descriptor = at(fd);
    if (!descriptor || descriptor->kind != CONNECTED) return errno = ENOTCONN, -1;
    ssize_t taken = put(descriptor->connection, descriptor->side, bytes, count);
    if (taken < 0) return errno = (int)-taken, -1;
    sim_trace_event(EVENT_WRITE, (uint64_t)fd, bytes, (size_t)taken);
    return taken == 0 ? (errno = EAGAIN, -1) : taken;
}

int uv_write(uv_write_t *request, uv_stream_t *uv, const uv_buf_t buffers[], unsigned int count, uv_write_cb callback) {
    struct sim_handle *handle = sim_handle_of(uv);
    if (count != 1 || handle->write) abort();  // the module EventLoop has one small request for each connection
    request->handle = uv;
    request->cb = callback;
    handle->write = request;
    handle->unwritten = (const uint8_t *)buffers[0].base;
    handle->unwritten_count = buffers[0].len;
    return 0;
}

size_t uv_stream_get_write_queue_size(const uv_stream_t *uv) { return sim_handle_of(uv)->unwritten_count; }

int uv_tcp_open(uv_tcp_t *uv, uv_os_sock_t fd) {
    sim_handle_of(uv)->fd = fd;
    sim_handle_of(uv)->is_active = true;
    return 0;
}

int uv_fileno(const uv_handle_t *uv, uv_os_fd_t *fd) {
    *fd = sim_handle_of(uv)->fd;
    return *fd < 0 ? UV_EBADF : 0;
}

/// Sizes of sockets' buffers: mostly large, sometimes so small that every write must wait.
static size_t random_room(void) {
    static const size_t rooms[] = {256 << 10, 256 << 10, 64 << 10, 16 << 10, 4096, 512};
    return rooms[sim_below(6)];
}

int uv_tcp_connect(uv_connect_t *request, uv_tcp_t *uv, const struct sockaddr *address, uv_connect_cb callback) {
    struct sim_handle *handle = sim_handle_of(uv);
    struct descriptor *own = at(handle->fd);
    uint16_t port = ntohs(((const struct sockaddr_in *)address)->sin_port);
    request->handle = (uv_stream_t *)uv;
    request->cb = callback;
    handle->connect = request;
    // The kernel distributes connections to all listeners of a port.
    struct descriptor *listeners[64];
    size_t count = 0;
    for (size_t index = 0; index < descriptor_count && count < 64; index++) {
        struct descriptor *other = &descriptors[index];
        if (other->kind == LISTENING && other->port == port && other->backlog_count < BACKLOG)
            listeners[count++] = other;
    }
    if (count == 0) return 0;
    struct descriptor *listener = listeners[sim_below(count)];
    struct connection *connection = calloc(1, sizeof *connection);
    connection->is_open[0] = connection->is_open[1] = true;
    connection->pipe[0].room = random_room();
    connection->pipe[1].room = random_room();
    connections = realloc(connections, (connection_count + 1) * sizeof *connections);
    connections[connection_count++] = connection;
    listener->backlog[listener->backlog_count++] = connection;
    own->kind = CONNECTED;
    own->side = 0;
    own->connection = connection;
    return 0;
}

void tcp_close(struct sim_handle *handle) {
    handle->read = NULL;
    int side;
    struct connection *connection = connection_of(handle, &side);
    sim_trace_event(EVENT_CLOSE, (uint64_t)handle->fd, NULL, 0);
    if (connection) {
        at(handle->fd)->connection = NULL;
        at(handle->fd)->kind = PLAIN;
        end_side(connection, side, connection->is_reset[side]);
    }
    if (at(handle->fd)) at(handle->fd)->kind = FREE;
}

void tcp_closed(struct sim_handle *handle) {
    if (handle->write) end_write(handle, UV_ECANCELED);
    if (handle->connect) {
        uv_connect_t *request = handle->connect;
        handle->connect = NULL;
        request->cb(request, UV_ECANCELED);
    }
}

void tcp_kill(struct sim_handle *handle, bool silently) {
    int side;
    struct connection *connection = connection_of(handle, &side);
    if (!connection) return;
    at(handle->fd)->connection = NULL;
    at(handle->fd)->kind = PLAIN;
    // The other end notices a dead machine only when it sends something: then `move` finds no receiver.
    if (silently) {
        clear(&connection->pipe[side]);
        clear(&connection->pipe[1 - side]);
        connection->is_open[side] = false;
        collect(connection);
    } else {
        end_side(connection, side, true);
    }
}

// MARK: Socket calls

int socket(int family, int type, int protocol) {
    (void)family, (void)type, (void)protocol;
    return make_descriptor(PLAIN);
}

int setsockopt(int fd, int level, int option, const void *value, socklen_t size) {
    (void)level, (void)option, (void)value, (void)size;
    return at(fd) ? 0 : (errno = EBADF, -1);
}

int bind(int fd, const struct sockaddr *address, socklen_t size) {
    (void)size;
    uint16_t port = ntohs(((const struct sockaddr_in *)address)->sin_port);
    at(fd)->port = port ? port : next_port++;
    return 0;
}

int listen(int fd, int backlog) {
    (void)backlog;
    at(fd)->kind = LISTENING;
    return 0;
}

static void tell_address(struct sockaddr *address, socklen_t *size, uint16_t port) {
    struct sockaddr_in own = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t count = *size < sizeof own ? *size : sizeof own;
    memcpy(address, &own, count);
    *size = sizeof own;
}

int getsockname(int fd, struct sockaddr *address, socklen_t *size) {
    tell_address(address, size, at(fd)->port);
    return 0;
}

bool listener_is_ready(int fd) {
    struct descriptor *listener = at(fd);
    return listener && listener->kind == LISTENING && listener->backlog_count > 0;
}

int accept4(int fd, struct sockaddr *address, socklen_t *size, int flags) {
    (void)flags;
    if (!listener_is_ready(fd)) return errno = EAGAIN, -1;
    if (failing_accepts > 0) return failing_accepts--, errno = EMFILE, -1;
    int made = make_descriptor(CONNECTED);
    struct descriptor *listener = at(fd);
    struct connection *connection = listener->backlog[0];
    memmove(listener->backlog, listener->backlog + 1, --listener->backlog_count * sizeof *listener->backlog);
    at(made)->connection = connection;
    at(made)->side = 1;
    connection->is_accepted = true;
    tell_address(address, size, 1);
    sim_trace_event(EVENT_ACCEPT, (uint64_t)made, NULL, 0);
    return made;
}

int shutdown(int fd, int how) {
    (void)how;
    struct descriptor *descriptor = at(fd);
    if (!descriptor || descriptor->kind != CONNECTED) return errno = ENOTCONN, -1;
    descriptor->connection->pipe[descriptor->side].has_end = true;
    return 0;
}

void listener_kill(int fd) {
    struct descriptor *listener = at(fd);
    if (!listener || listener->kind != LISTENING) return;
    for (size_t index = 0; index < listener->backlog_count; index++) end_side(listener->backlog[index], 1, true);
    listener->backlog_count = 0;
    listener->kind = PLAIN;
}

int close(int fd) {
    struct descriptor *descriptor = at(fd);
    if (!descriptor) return (int)syscall(SYS_close, fd);
    listener_kill(fd);
    if (descriptor->kind == CONNECTED) end_side(descriptor->connection, descriptor->side, false);
    descriptor->kind = FREE;
    return 0;
}
