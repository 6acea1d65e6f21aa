// A bare loop: epoll, one read and one write for each message, a frame prepared once. No timeouts, no limits, no state of
// a session: a real server can come close to its cost, but not below it.
#define _GNU_SOURCE
#include "floor.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/evp.h>
#include <openssl/sha.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum kind { shaking, echoing, subscribing, publishing };

struct bytes {
    char *start;
    size_t count, room;
};

struct peer {
    int socket;
    enum kind kind;
    struct bytes in, out;
    size_t place; // among the subscribers
};

static int epoll;
static struct peer **subscribers;
static size_t subscriber_count, subscriber_room;
static struct bytes turn; // the publications of this turn, when it publishes in batches
static int in_batches;

static void append(struct bytes *bytes, const char *start, size_t count) {
    if (bytes->count + count > bytes->room) {
        bytes->room = (bytes->count + count) * 2;
        bytes->start = realloc(bytes->start, bytes->room);
        if (!bytes->start) abort();
    }
    memcpy(bytes->start + bytes->count, start, count);
    bytes->count += count;
}

static void take(struct bytes *bytes, size_t count) {
    bytes->count -= count;
    if (bytes->count) memmove(bytes->start, bytes->start + count, bytes->count);
}

static void watch(struct peer *peer, uint32_t events, int operation) {
    struct epoll_event event = {.events = events, .data.ptr = peer};
    epoll_ctl(epoll, operation, peer->socket, &event);
}

static void put(struct peer *peer, const char *start, size_t count) {
    size_t sent = 0;
    if (!peer->out.count) {
        ssize_t result = send(peer->socket, start, count, MSG_NOSIGNAL);
        if (result > 0) sent = (size_t)result;
        if (sent == count) return;
        watch(peer, EPOLLIN | EPOLLOUT, EPOLL_CTL_MOD);
    }
    append(&peer->out, start + sent, count - sent);
}

static void drain(struct peer *peer) {
    ssize_t result = send(peer->socket, peer->out.start, peer->out.count, MSG_NOSIGNAL);
    if (result > 0) take(&peer->out, (size_t)result);
    if (!peer->out.count) watch(peer, EPOLLIN, EPOLL_CTL_MOD);
}

static void end(struct peer *peer) {
    if (peer->kind == subscribing) {
        struct peer *last = subscribers[--subscriber_count];
        subscribers[peer->place] = last;
        last->place = peer->place;
    }
    close(peer->socket);
    free(peer->in.start);
    free(peer->out.start);
    free(peer);
}

// Answers the upgrade (RFC 6455, section 4.2.2). Returns false if it is not one.
static int shake_hands(struct peer *peer) {
    append(&peer->in, "", 1);
    peer->in.count--;
    char *stop = strstr(peer->in.start, "\r\n\r\n");
    if (!stop) return peer->in.count < 8192;
    char *key = strcasestr(peer->in.start, "sec-websocket-key:");
    if (!key) return 0;
    key += strlen("sec-websocket-key:");
    while (*key == ' ') key++;
    char joined[128];
    snprintf(joined, sizeof joined, "%.24s258EAFA5-E914-47DA-95CA-C5AB0DC85B11", key);
    unsigned char digest[SHA_DIGEST_LENGTH], text[64];
    SHA1((unsigned char *)joined, strlen(joined), digest);
    EVP_EncodeBlock(text, digest, SHA_DIGEST_LENGTH);
    char answer[256];
    int length = snprintf(answer, sizeof answer,
                          "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                          "Sec-WebSocket-Accept: %s\r\n\r\n", text);
    if (!strncmp(peer->in.start, "GET /sub", 8)) {
        peer->kind = subscribing;
        if (subscriber_count == subscriber_room) {
            subscriber_room = subscriber_room ? 2 * subscriber_room : 1024;
            subscribers = realloc(subscribers, subscriber_room * sizeof *subscribers);
            if (!subscribers) abort();
        }
        peer->place = subscriber_count;
        subscribers[subscriber_count++] = peer;
    } else {
        peer->kind = strncmp(peer->in.start, "GET /pub", 8) ? echoing : publishing;
    }
    take(&peer->in, (size_t)(stop + 4 - peer->in.start));
    put(peer, answer, (size_t)length);
    return 1;
}

static void publish(const char *frame, size_t count) {
    if (in_batches) return append(&turn, frame, count);
    for (size_t i = 0; i < subscriber_count; i++) put(subscribers[i], frame, count);
}

// Takes one masked frame of at most 64 KiB. Returns its length in bytes, 0 when it is incomplete, -1 when it is not valid.
static ssize_t take_frame(struct peer *peer, unsigned char *bytes, size_t count) {
    static char frame[(1 << 16) + 4];
    if (count < 6) return 0;
    size_t length = bytes[1] & 0x7F, head = 2;
    if (!(bytes[1] & 0x80) || length == 127) return -1;
    if (length == 126) {
        length = (size_t)bytes[2] << 8 | bytes[3];
        head = 4;
    }
    if (count < head + 4 + length) return 0;
    unsigned char *mask = bytes + head, *payload = mask + 4;
    size_t start = length < 126 ? 2 : 4;
    frame[0] = (char)bytes[0];
    frame[1] = (char)(length < 126 ? length : 126);
    if (start == 4) {
        frame[2] = (char)(length >> 8);
        frame[3] = (char)length;
    }
    for (size_t i = 0; i < length; i++) frame[start + i] = (char)(payload[i] ^ mask[i & 3]);
    if ((bytes[0] & 0x0F) == 0x8) return -1;
    if (peer->kind == publishing) publish(frame, start + length);
    else if (peer->kind == echoing) put(peer, frame, start + length);
    return (ssize_t)(head + 4 + length);
}

// Returns false when the connection must end.
static int receive(struct peer *peer) {
    static char buffer[1 << 16];
    ssize_t count = recv(peer->socket, buffer, sizeof buffer, 0);
    if (count < 0) return errno == EAGAIN;
    if (count == 0) return 0;
    append(&peer->in, buffer, (size_t)count);
    if (peer->kind == shaking && !shake_hands(peer)) return 0;
    if (peer->kind == shaking) return 1;
    size_t offset = 0;
    while (offset < peer->in.count) {
        ssize_t taken = take_frame(peer, (unsigned char *)peer->in.start + offset, peer->in.count - offset);
        if (taken < 0) return 0;
        if (taken == 0) break;
        offset += (size_t)taken;
    }
    take(&peer->in, offset);
    return 1;
}

static void welcome(int listener) {
    int socket, yes = 1;
    while ((socket = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
        struct peer *peer = calloc(1, sizeof *peer);
        if (!peer) abort();
        peer->socket = socket;
        setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        watch(peer, EPOLLIN, EPOLL_CTL_ADD);
    }
}

int floor_serve(int port, int batches) {
    struct rlimit limit;
    if (!getrlimit(RLIMIT_NOFILE, &limit)) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
    in_batches = batches;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    int yes = 1, listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 4096)) {
        perror("watchwise-floor");
        return 1;
    }
    getsockname(listener, (struct sockaddr *)&address, &length);
    printf("listening on 127.0.0.1:%d\n", ntohs(address.sin_port));
    fflush(stdout);
    epoll = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event welcome_event = {.events = EPOLLIN, .data.ptr = NULL}, events[512];
    epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &welcome_event);
    for (;;) {
        int count = epoll_wait(epoll, events, 512, -1);
        for (int i = 0; i < count; i++) {
            struct peer *peer = events[i].data.ptr;
            if (!peer) {
                welcome(listener);
                continue;
            }
            if (events[i].events & EPOLLOUT && peer->out.count) drain(peer);
            if (events[i].events & (EPOLLIN | EPOLLHUP | EPOLLERR) && !receive(peer)) end(peer);
        }
        if (!turn.count) continue;
        for (size_t i = 0; i < subscriber_count; i++) put(subscribers[i], turn.start, turn.count);
        turn.count = 0;
    }
}
