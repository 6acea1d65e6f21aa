// The write-ahead log of the one connection that writes, written in large pieces.
//
// SQLite writes each page of a commit in two calls, 24 bytes and 4096, at places that fit no page of the kernel's: more
// time goes there than into its b-trees. Here they are gathered until the log is flushed, read, or begins elsewhere, and
// so a commit is one write. Nothing is seen too early or too late: a commit is made known to other connections after its
// flush (with synchronous=FULL, so it is for such a connection only), and what SQLite was told is written and is not,
// it is told of when it flushes: then the commit fails.
//
// In C because a file's methods are a table of C functions that are given nothing else: it is replaced, for this one
// file, by one which has the buffer behind it.
#include <sqlite3.h>
#include <string.h>

// SQLite's unix files write less than 128 KiB at once (os_unix.c masks the count with 0x1ffff).
enum { watchwise_log_buffer_bytes = 120 * 1024 };

struct watchwise_log_buffer {
    sqlite3_io_methods methods; // First: the file's `pMethods` leads here.
    const sqlite3_io_methods *real;
    sqlite3_int64 offset;
    sqlite3_int64 end; // Of what was written last: how far the log has come since it began anew.
    int used;
    unsigned char bytes[watchwise_log_buffer_bytes];
};

static inline struct watchwise_log_buffer *watchwise_log_buffer_of(sqlite3_file *file) {
    return (struct watchwise_log_buffer *)(void *)file->pMethods;
}

static inline int watchwise_log_flush(sqlite3_file *file) {
    struct watchwise_log_buffer *buffer = watchwise_log_buffer_of(file);
    int result = buffer->used ? buffer->real->xWrite(file, buffer->bytes, buffer->used, buffer->offset) : SQLITE_OK;
    // Bytes that could not be written stay: SQLite may go on after a read that failed for them, and then the next flush
    // fails, too. After the rollback `watchwise_forget_log` drops them.
    if (result == SQLITE_OK) buffer->used = 0;
    return result;
}

static inline int watchwise_log_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    struct watchwise_log_buffer *buffer = watchwise_log_buffer_of(file);
    buffer->end = offset + count;
    if (buffer->used && (offset != buffer->offset + buffer->used || count > watchwise_log_buffer_bytes - buffer->used)) {
        int result = watchwise_log_flush(file);
        if (result != SQLITE_OK) return result;
    }
    if (count > watchwise_log_buffer_bytes) return buffer->real->xWrite(file, bytes, count, offset);
    if (!buffer->used) buffer->offset = offset;
    memcpy(buffer->bytes + buffer->used, bytes, (size_t)count);
    buffer->used += count;
    return SQLITE_OK;
}

static inline int watchwise_log_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
    int result = watchwise_log_flush(file);
    return result != SQLITE_OK ? result : watchwise_log_buffer_of(file)->real->xRead(file, bytes, count, offset);
}

static inline int watchwise_log_truncate(sqlite3_file *file, sqlite3_int64 size) {
    int result = watchwise_log_flush(file);
    return result != SQLITE_OK ? result : watchwise_log_buffer_of(file)->real->xTruncate(file, size);
}

static inline int watchwise_log_sync(sqlite3_file *file, int flags) {
    int result = watchwise_log_flush(file);
    return result != SQLITE_OK ? result : watchwise_log_buffer_of(file)->real->xSync(file, flags);
}

static inline int watchwise_log_size(sqlite3_file *file, sqlite3_int64 *size) {
    int result = watchwise_log_flush(file);
    return result != SQLITE_OK ? result : watchwise_log_buffer_of(file)->real->xFileSize(file, size);
}

// What is still gathered belongs to no commit.
static inline int watchwise_log_close(sqlite3_file *file) {
    struct watchwise_log_buffer *buffer = watchwise_log_buffer_of(file);
    file->pMethods = buffer->real;
    sqlite3_free(buffer);
    return file->pMethods->xClose(file);
}

// Gathers what is written to an open file.
static inline int watchwise_buffer_file(sqlite3_file *file) {
    struct watchwise_log_buffer *buffer = sqlite3_malloc(sizeof *buffer);
    if (buffer == NULL) return SQLITE_NOMEM;
    buffer->methods = *file->pMethods;
    buffer->methods.xClose = watchwise_log_close;
    buffer->methods.xRead = watchwise_log_read;
    buffer->methods.xWrite = watchwise_log_write;
    buffer->methods.xTruncate = watchwise_log_truncate;
    buffer->methods.xSync = watchwise_log_sync;
    buffer->methods.xFileSize = watchwise_log_size;
    buffer->real = file->pMethods;
    buffer->end = 0;
    buffer->used = 0;
    file->pMethods = &buffer->methods;
    return SQLITE_OK;
}

// Gathers what a connection writes to its log, which must be open: in WAL mode, and after a first transaction. It must
// flush each commit. SQLITE_MISUSE says that it has no log.
static inline int watchwise_buffer_log(sqlite3 *database) {
    sqlite3_file *file = NULL;
    int result = sqlite3_file_control(database, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file);
    if (result != SQLITE_OK) return result;
    if (file == NULL || file->pMethods == NULL) return SQLITE_MISUSE;
    return watchwise_buffer_file(file);
}

// The buffer of a connection's log; NULL when it has none.
static inline struct watchwise_log_buffer *watchwise_log_of(sqlite3 *database) {
    sqlite3_file *file = NULL;
    int result = sqlite3_file_control(database, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file);
    if (result != SQLITE_OK || file == NULL || file->pMethods == NULL) return NULL;
    return file->pMethods->xWrite == watchwise_log_write ? watchwise_log_buffer_of(file) : NULL;
}

// After a rollback: what is still gathered belongs to the transaction that is undone. If it stayed, each read of the log
// would try to write it first, and fail with the disk that refused it.
static inline void watchwise_forget_log(sqlite3 *database) {
    struct watchwise_log_buffer *buffer = watchwise_log_of(database);
    if (buffer) buffer->used = 0;
}

// How many bytes of the log are in use, to the end of the last commit.
static inline sqlite3_int64 watchwise_log_end(sqlite3 *database) {
    struct watchwise_log_buffer *buffer = watchwise_log_of(database);
    return buffer ? buffer->end : 0;
}
