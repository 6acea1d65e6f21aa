#define _GNU_SOURCE

#include "counting.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Atomic int64_t statements, commits, writes, bytes;

int64_t counting_statements(void) { return statements; }

int64_t counting_commits(void) { return commits; }

int64_t counting_socket_writes(void) { return writes; }

int64_t counting_socket_bytes(void) { return bytes; }

struct sqlite3_stmt;

/// Replaces SQLite's function in the whole program: each step of a statement counts, the last one, which finds no row, too.
int sqlite3_step(struct sqlite3_stmt *statement) {
    static int (*step)(struct sqlite3_stmt *);
    static const char *(*text)(struct sqlite3_stmt *);
    if (!step) {
        *(void **)&text = dlsym(RTLD_NEXT, "sqlite3_sql");
        *(void **)&step = dlsym(RTLD_NEXT, "sqlite3_step");
    }
    statements++;
    const char *sql = text(statement);
    if (sql && strcmp(sql, "COMMIT") == 0) commits++;
    return step(statement);
}

static ssize_t counted(ssize_t sent) {
    writes++;
    if (sent > 0) bytes += sent;
    return sent;
}

/// Replaces libc's function in the whole program: each write to a socket counts.
ssize_t send(int descriptor, const void *content, size_t count, int flags) {
    return counted(syscall(SYS_sendto, descriptor, content, count, flags, NULL, 0));
}

/// The same for several pieces, as libuv sends them.
ssize_t sendmsg(int descriptor, const struct msghdr *message, int flags) {
    return counted(syscall(SYS_sendmsg, descriptor, message, flags));
}
