// The load of Tests/SpeedTests/run: a client of its own, so that two programs of the server meet the same one.
//
//     client chats PORT PID TOKENS WARMUP SECONDS WINDOW
//     client watch PORT PID TOKENS WARMUP SECONDS WINDOW admin|users
//
// TOKENS is a file: a user's name and token on each line; with `watch` the first line is an administrator's. `chats`: the users
// of two lines after each other are a chat, in which the first one sends, WINDOW messages under way. `watch`: all users watch one
// document, and WINDOW patches are under way: by an administrator over HTTP, or by the owner over sessions.
//
// Prints one line of JSON: the deliveries, and the seconds of the server's own processor in user space and in the kernel. What was
// lost, doubled or out of order makes the exit code 1.

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { reading = 1 << 16, publishers_max = 64, marker_digits = 10 };

enum kind { session, publisher, http };

struct peer {
    int descriptor;
    enum kind kind;
    bool is_open, is_ready;
    int index;
    // Bytes that have arrived and are no whole frame yet.
    uint8_t *rest;
    size_t rest_count, rest_room;
    // Of a chat: the messages sent and answered. Of a receiver, and of a watcher: the newest number, or version, that came.
    long sent, answered, arrived;
};

static struct peer *peers;
static int peer_count, ready_count, poller;
static char **names, **tokens;
static bool is_watching, is_sending;
static long window_size, deliveries, patches, patches_done, patch_numbers, faults;
// Until then no patch is sent: a user who causes too much work was asked to wait.
static double rests_until;
static int watchers, port;
static uint8_t buffer[reading];
static struct peer *idle_publishers[publishers_max];
static int idle_count;

static void fail(const char *why) {
    fprintf(stderr, "client: %s\n", why);
    exit(2);
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec + now.tv_nsec / 1e9;
}

static void send_all(struct peer *peer, const void *bytes, size_t count) {
    const uint8_t *at = bytes;
    while (count > 0) {
        ssize_t sent = send(peer->descriptor, at, count, MSG_NOSIGNAL);
        if (sent < 0 && errno == EAGAIN) continue;
        if (sent <= 0) fail("a connection broke");
        at += sent;
        count -= sent;
    }
}

/// A masked text frame; the mask is zero, which costs the server as much as another.
static size_t frame(uint8_t *into, const char *text, size_t count) {
    size_t head = 0;
    into[head++] = 0x81;
    if (count < 126) {
        into[head++] = 0x80 | count;
    } else {
        into[head++] = 0x80 | 126;
        into[head++] = count >> 8;
        into[head++] = count;
    }
    static const uint8_t mask[4] = {0x3c, 0x5a, 0x71, 0xe9};
    memcpy(into + head, mask, 4);
    head += 4;
    for (size_t place = 0; place < count; place++) into[head + place] = text[place] ^ mask[place & 3];
    return head + count;
}

static void send_text(struct peer *peer, const char *text) {
    uint8_t framed[4096];
    send_all(peer, framed, frame(framed, text, strlen(text)));
}

static void send_message(struct peer *peer) {
    char text[512];
    snprintf(text, sizeof text,
             "{\"id\":2,\"type\":\"send\",\"to\":\"%s\",\"text\":\"~%010ld~....................\",\"key\":\"k-%ld-%d\"}",
             names[peer->index + 1], peer->sent, peer->sent, peer->index);
    peer->sent++;
    send_text(peer, text);
}

static void patch(struct peer *peer) {
    char text[1024], body[128];
    long number = patch_numbers++;
    patches++;
    snprintf(body, sizeof body, "{\"index\":%ld,\"by\":\"the station's own sensor\"}", number);
    if (peer->kind == http) {
        snprintf(text, sizeof text,
                 "PATCH /v1/documents/users/%s/states/now HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n"
                 "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
                 names[1], tokens[0], strlen(body), body);
        send_all(peer, text, strlen(text));
    } else {
        snprintf(text, sizeof text, "{\"id\":2,\"type\":\"patch\",\"path\":\"users/%s/states/now\",\"data\":%s,\"key\":\"p-%ld\"}",
                 names[1], body, number);
        send_text(peer, text);
    }
}

/// A publication is under way until it has arrived everywhere.
static void pump(void) {
    if (rests_until > 0) {
        if (seconds() < rests_until) return;
        rests_until = 0;
    }
    while (is_sending && idle_count > 0 && patches - patches_done < window_size) patch(idle_publishers[--idle_count]);
}

static void connect_peer(struct peer *peer) {
    struct sockaddr_in from = {.sin_family = AF_INET}, to = {.sin_family = AF_INET, .sin_port = htons(port)};
    from.sin_addr.s_addr = htonl(0x7f000002 + peer->index / 12000);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    peer->descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int yes = 1;
    setsockopt(peer->descriptor, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    setsockopt(peer->descriptor, SOL_IP, IP_BIND_ADDRESS_NO_PORT, &yes, sizeof yes);
    if (bind(peer->descriptor, (struct sockaddr *)&from, sizeof from) != 0) fail("no address is free");
    if (connect(peer->descriptor, (struct sockaddr *)&to, sizeof to) != 0) fail("the server takes no connection");
    fcntl(peer->descriptor, F_SETFL, O_NONBLOCK);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = peer};
    epoll_ctl(poller, EPOLL_CTL_ADD, peer->descriptor, &event);
    if (peer->kind == http) {
        ready_count++;
        peer->is_ready = true;
        return;
    }
    const char *upgrade = "GET /v1/ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                          "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    send_all(peer, upgrade, strlen(upgrade));
}

static bool begins(const uint8_t *text, size_t count, const char *with) {
    size_t length = strlen(with);
    return count >= length && memcmp(text, with, length) == 0;
}

static long number_after(const uint8_t *text, size_t count, const char *mark) {
    const uint8_t *found = memmem(text, count, mark, strlen(mark));
    return found ? strtol((const char *)found + strlen(mark), NULL, 10) : -1;
}

/// The sender's `follow`, or the `watch` of a watcher, was answered.
static void becomes_ready(struct peer *peer) {
    if (peer->is_ready) return;
    peer->is_ready = true;
    ready_count++;
}

static void greeted(struct peer *peer) {
    char text[512];
    if (is_watching && peer->kind == session) {
        snprintf(text, sizeof text, "{\"id\":1,\"type\":\"watch\",\"path\":\"users/%s/states/now\"}", names[1]);
        send_text(peer, text);
    } else if (!is_watching && peer->index % 2 == 0) {
        snprintf(text, sizeof text, "{\"id\":1,\"type\":\"follow\",\"topic\":\"user:%s\"}", names[peer->index + 1]);
        send_text(peer, text);
    } else {
        becomes_ready(peer);
    }
}

static void delivered(struct peer *peer, long number) {
    if (number != peer->arrived + 1) {
        if (faults++ < 5) fprintf(stderr, "client: %ld came after %ld\n", number, peer->arrived);
    }
    peer->arrived = number;
    deliveries++;
}

static void take(struct peer *peer, const uint8_t *text, size_t count) {
    if (begins(text, count, "{\"re\":")) {
        long answer = strtol((const char *)text + 6, NULL, 10);
        const uint8_t *comma = memchr(text, ',', count < 30 ? count : 30);
        if (peer->kind == publisher && answer == 2 && memmem(text, count, "\"rate-limited\"", 14)) {
            // The patch was not made. Another one follows after the wait.
            patches--;
            idle_publishers[idle_count++] = peer;
            rests_until = seconds() + number_after(text, count, "\"retryAfterMs\":") / 1e3;
            return;
        }
        if (!comma || comma[2] != 'o') {
            fprintf(stderr, "client: refused: %.*s\n", (int)(count < 300 ? count : 300), text);
            fail("a command was refused");
        }
        if (answer == 0) return greeted(peer);
        if (answer == 1) {
            if (is_watching) peer->arrived = number_after(text, count, "\"version\":");
            return becomes_ready(peer);
        }
        if (peer->kind == publisher) {
            idle_publishers[idle_count++] = peer;
            return pump();
        }
        peer->answered++;
        if (is_sending) send_message(peer);
        return;
    }
    // {"seq":123,"type":"message"
    if (!begins(text, count, "{\"seq\":")) return;
    const uint8_t *comma = memchr(text, ',', count < 30 ? count : 30);
    if (!comma || comma + 20 > text + count) return;
    if (!is_watching && comma[9] == 'm' && peer->index % 2 == 1) {
        const uint8_t *mark = memchr(text, '~', count);
        delivered(peer, mark ? strtol((const char *)mark + 1, NULL, 10) : -1);
    } else if (is_watching && peer->kind == session && memcmp(comma + 9, "document\"", 9) == 0) {
        delivered(peer, number_after(text, count, "\"version\":"));
        if (deliveries >= (patches_done + 1) * watchers) {
            patches_done = deliveries / watchers;
            pump();
        }
    }
}

/// - Returns: the bytes of whole frames that were taken.
static size_t take_frames(struct peer *peer, uint8_t *bytes, size_t count) {
    size_t at = 0;
    while (count - at >= 2) {
        size_t head = 2, length = bytes[at + 1] & 0x7f;
        if (length == 126) {
            if (count - at < 4) break;
            length = bytes[at + 2] << 8 | bytes[at + 3];
            head = 4;
        } else if (length == 127) {
            if (count - at < 10) break;
            length = 0;
            for (int place = 2; place < 10; place++) length = length << 8 | bytes[at + place];
            head = 10;
        }
        if (count - at < head + length) break;
        uint8_t opcode = bytes[at] & 0x0f;
        if (opcode == 1) take(peer, bytes + at + head, length);
        if (opcode == 8) {
            fprintf(stderr, "client: closed: %.*s\n", (int)length, bytes + at + head);
            fail("the server closed a session");
        }
        if (opcode == 9) send_all(peer, "\x8a\x80\0\0\0\0", 6);
        at += head + length;
    }
    return at;
}

static void take_bytes(struct peer *peer, uint8_t *bytes, size_t count) {
    if (peer->kind == http) {
        // An answer is one small packet.
        if (!begins(bytes, count, "HTTP/1.1 20")) {
            fprintf(stderr, "client: %.*s\n", (int)count, bytes);
            fail("a patch was refused");
        }
        idle_publishers[idle_count++] = peer;
        return pump();
    }
    if (!peer->is_open) {
        uint8_t *end = memmem(bytes, count, "\r\n\r\n", 4);
        if (!begins(bytes, count, "HTTP/1.1 101") || !end) fail("an upgrade was refused");
        peer->is_open = true;
        char text[2048];
        snprintf(text, sizeof text, "{\"id\":0,\"type\":\"hello\",\"token\":\"%s\",\"device\":\"load-%d\"}",
                 tokens[peer->kind == publisher ? 1 : peer->index], (int)(peer - peers));
        send_text(peer, text);
        count -= end + 4 - bytes;
        bytes = end + 4;
    }
    if (peer->rest_count > 0) {
        if (peer->rest_count + count > peer->rest_room) {
            peer->rest_room = 2 * (peer->rest_count + count);
            peer->rest = realloc(peer->rest, peer->rest_room);
        }
        memcpy(peer->rest + peer->rest_count, bytes, count);
        peer->rest_count += count;
        size_t taken = take_frames(peer, peer->rest, peer->rest_count);
        peer->rest_count -= taken;
        memmove(peer->rest, peer->rest + taken, peer->rest_count);
        return;
    }
    size_t taken = take_frames(peer, bytes, count);
    if (taken == count) return;
    if (count - taken > peer->rest_room) {
        peer->rest_room = 2 * (count - taken);
        peer->rest = realloc(peer->rest, peer->rest_room);
    }
    peer->rest_count = count - taken;
    memcpy(peer->rest, bytes + taken, peer->rest_count);
}

static void turn(int milliseconds) {
    struct epoll_event events[256];
    int found = epoll_wait(poller, events, 256, milliseconds);
    for (int place = 0; place < found; place++) {
        struct peer *peer = events[place].data.ptr;
        ssize_t count = recv(peer->descriptor, buffer, sizeof buffer, 0);
        if (count == 0) fail("the server ended a connection");
        if (count > 0) take_bytes(peer, buffer, count);
    }
}

/// User and system ticks of the server.
static void ticks(int process, long into[2]) {
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", process);
    FILE *file = fopen(path, "r");
    if (!file || !fgets(text, sizeof text, file)) fail("the server is gone");
    fclose(file);
    const char *rest = strrchr(text, ')');
    if (!rest || sscanf(rest + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %ld %ld", &into[0], &into[1]) != 2)
        fail("the server's times cannot be read");
}

static void run_until(double end) {
    while (seconds() < end) {
        turn(rests_until > 0 ? 1 : 20);
        pump();
    }
}

static void open_all(void) {
    double limit = seconds() + 120;
    for (int place = 0; place < peer_count; place++) {
        connect_peer(&peers[place]);
        while (place - ready_count > 128 && seconds() < limit) turn(20);
    }
    while (ready_count < peer_count && seconds() < limit) turn(20);
    if (ready_count < peer_count) fail("not all sessions are ready");
}

int main(int count, char **words) {
    if (count < 8) fail("usage: client chats|watch PORT PID TOKENS WARMUP SECONDS WINDOW [admin|users]");
    is_watching = strcmp(words[1], "watch") == 0;
    port = atoi(words[2]);
    int process = atoi(words[3]);
    double warmup = atof(words[5]), length = atof(words[6]);
    window_size = atol(words[7]);
    bool by_users = count > 8 && strcmp(words[8], "users") == 0;
    struct rlimit limit = {1 << 17, 1 << 17};
    setrlimit(RLIMIT_NOFILE, &limit);
    poller = epoll_create1(EPOLL_CLOEXEC);

    FILE *file = fopen(words[4], "r");
    if (!file) fail("there are no tokens");
    int line_count = 0;
    names = calloc(200000, sizeof *names);
    tokens = calloc(200000, sizeof *tokens);
    while (fscanf(file, "%ms %ms", &names[line_count], &tokens[line_count]) == 2) line_count++;
    fclose(file);
    int publishers = is_watching ? (int)window_size : 0;
    if (publishers > publishers_max) fail("at most 64 patches are under way");
    watchers = is_watching ? line_count - 1 : 0;
    peer_count = is_watching ? watchers + publishers : line_count;
    peers = calloc(peer_count, sizeof *peers);
    for (int place = 0; place < peer_count; place++) {
        bool publishes = is_watching && place >= watchers;
        peers[place].kind = !publishes ? session : by_users ? publisher : http;
        peers[place].index = is_watching && !publishes ? place + 1 : place;
        peers[place].arrived = -1;
    }
    open_all();
    is_sending = true;
    if (is_watching) {
        for (int place = watchers; place < peer_count; place++) idle_publishers[idle_count++] = &peers[place];
        pump();
    } else {
        for (int place = 0; place < peer_count; place += 2)
            for (long number = 0; number < window_size; number++) send_message(&peers[place]);
    }
    double began = seconds();
    run_until(began + warmup);
    long before[2], after[2], delivered_before = deliveries;
    ticks(process, before);
    double start = seconds();
    run_until(start + length);
    ticks(process, after);
    double took = seconds() - start;
    long units = deliveries - delivered_before;
    is_sending = false;
    double end = seconds() + 30;
    for (;;) {
        long owed = is_watching ? patches * watchers - deliveries : 0;
        if (!is_watching)
            for (int place = 0; place < peer_count; place += 2)
                owed += 2 * peers[place].sent - peers[place].answered - (peers[place + 1].arrived + 1);
        if (owed == 0) break;
        if (seconds() > end) {
            fprintf(stderr, "client: %ld did not come\n", owed);
            faults += owed;
            break;
        }
        turn(20);
    }
    double tick = sysconf(_SC_CLK_TCK);
    printf("{\"units\": %ld, \"all\": %ld, \"seconds\": %.3f, \"user\": %.3f, \"system\": %.3f, \"faults\": %ld}\n", units, deliveries,
           took, (after[0] - before[0]) / tick, (after[1] - before[1]) / tick, faults);
    return faults ? 1 : 0;
}
