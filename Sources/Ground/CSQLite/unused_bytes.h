// The bytes of a database's pages that SQLite does not use.
//
// `secure_delete` overwrites rows that are deleted. It does not overwrite the copies that SQLite leaves when it divides a page
// or joins two: half of the rows move to another page, and their bytes stay between the list of cells and the first cell
// (`rebuildPage` in btree.c, 3.40). Nothing reads these bytes, but somebody who looks into the file finds the text of an
// erased person there.
//
// So the VFS of the writer (`log_buffer.h`) writes zeros in their place whenever a page goes into the database's file, which
// in WAL mode happens only at a checkpoint. `watchwise_pages_clear` does the same to pages that are in the file already.
// A page means the same before and after it (sqlite.org/fileformat2.html, section 1.6), so a crash in the middle costs nothing.
//
// Measured in a checkpoint of 2,000 pages: see `UnusedBytesTests`.
#include <sqlite3.h>
#include <string.h>

enum { watchwise_page_bytes_max = 65536 };

// The open file of a database; the file of the VFS below follows it in memory.
struct watchwise_pages_file {
    sqlite3_file base;
    sqlite3_int64 size; // Of the file, with what a checkpoint has announced.
    unsigned char *page; // A copy of a page, made when the first one needs it.
};

static inline struct watchwise_pages_file *watchwise_pages(sqlite3_file *file) {
    return (struct watchwise_pages_file *)(void *)file;
}

static inline sqlite3_file *watchwise_pages_real(sqlite3_file *file) {
    return (sqlite3_file *)(void *)(watchwise_pages(file) + 1);
}

// Finds the bytes between the list of cells and the first cell of a page of a tree.
//
// An overflow page and a free page begin with the number of another page, a tree's page with its kind. As long as the file has
// fewer than 0x02000000 pages (137 GB) no such number looks like a kind; in a larger file nothing is found.
//
// Returns how many there are, 0 for another kind of page; `start` gets the first one's place in the page.
static inline int watchwise_unused_bytes(
    const unsigned char *page, int count, sqlite3_int64 offset, sqlite3_int64 size, int *start
) {
    if (count < 512 || count > watchwise_page_bytes_max || (count & (count - 1)) || offset % count) return 0;
    if (size / count >= 0x02000000) return 0;
    const unsigned char *head = offset ? page : page + 100;
    int inner = head[0] == 2 || head[0] == 5;
    if (!inner && head[0] != 10 && head[0] != 13) return 0;
    int cells = head[3] << 8 | head[4];
    int content = head[5] << 8 | head[6];
    if (!content) content = 65536;
    *start = (int)(head - page) + (inner ? 12 : 8) + 2 * cells;
    return content <= count && *start < content ? content - *start : 0;
}

static inline int watchwise_are_zeros(const unsigned char *bytes, int count) {
    return !count || (!bytes[0] && !memcmp(bytes, bytes + 1, (size_t)count - 1));
}

static inline int watchwise_pages_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    struct watchwise_pages_file *pages = watchwise_pages(file);
    sqlite3_file *real = watchwise_pages_real(file);
    int start = 0;
    if (pages->size < offset + count) pages->size = offset + count;
    int unused = watchwise_unused_bytes(bytes, count, offset, pages->size, &start);
    if (watchwise_are_zeros((const unsigned char *)bytes + start, unused)) {
        return real->pMethods->xWrite(real, bytes, count, offset);
    }
    if (!pages->page) pages->page = sqlite3_malloc(watchwise_page_bytes_max);
    if (!pages->page) return SQLITE_IOERR_NOMEM;
    memcpy(pages->page, bytes, (size_t)start);
    memset(pages->page + start, 0, (size_t)unused);
    memcpy(pages->page + start + unused, (const unsigned char *)bytes + start + unused, (size_t)(count - start - unused));
    return real->pMethods->xWrite(real, pages->page, count, offset);
}

static inline int watchwise_pages_size(sqlite3_file *file, sqlite3_int64 *size) {
    sqlite3_file *real = watchwise_pages_real(file);
    int result = real->pMethods->xFileSize(real, size);
    if (result == SQLITE_OK) watchwise_pages(file)->size = *size;
    return result;
}

// Asks a file whether it is one of these. SQLite keeps the numbers up to 100 for itself.
enum { watchwise_pages_self = 0x77772 };

static inline int watchwise_pages_control(sqlite3_file *file, int operation, void *argument) {
    sqlite3_file *real = watchwise_pages_real(file);
    if (operation == watchwise_pages_self) {
        *(sqlite3_file **)argument = file;
        return SQLITE_OK;
    }
    // A checkpoint says how large the file will be before it writes the first page.
    if (operation == SQLITE_FCNTL_SIZE_HINT && watchwise_pages(file)->size < *(sqlite3_int64 *)argument) {
        watchwise_pages(file)->size = *(sqlite3_int64 *)argument;
    }
    return real->pMethods->xFileControl(real, operation, argument);
}

static inline int watchwise_pages_close(sqlite3_file *file) {
    sqlite3_file *real = watchwise_pages_real(file);
    sqlite3_free(watchwise_pages(file)->page);
    watchwise_pages(file)->page = NULL;
    return real->pMethods->xClose(real);
}

// The other methods pass everything on.

static inline int watchwise_pages_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
    sqlite3_file *real = watchwise_pages_real(file);
    return real->pMethods->xRead(real, bytes, count, offset);
}

static inline int watchwise_pages_truncate(sqlite3_file *file, sqlite3_int64 size) {
    sqlite3_file *real = watchwise_pages_real(file);
    return real->pMethods->xTruncate(real, size);
}

static inline int watchwise_pages_sync(sqlite3_file *file, int flags) {
    sqlite3_file *real = watchwise_pages_real(file);
    return real->pMethods->xSync(real, flags);
}

static inline int watchwise_pages_lock(sqlite3_file *file, int level) {
    sqlite3_file *real = watchwise_pages_real(file);
    return real->pMethods->xLock(real, level);
}

static inline int watchwise_pages_unlock(sqlite3_file *file, int level) {
    sqlite3_file *real = watchwise_pages_real(file);
    return real->pMethods->xUnlock(real, level);
}

static inline int watchwise_pages_is_reserved(sqlite3_file *file, int *result) {
    sqlite3_file *real = watchwise_pages_real(file);
    return real->pMethods->xCheckReservedLock(real, result);
}

static inline int watchwise_pages_sector_size(sqlite3_file *file) {
    sqlite3_file *real = watchwise_pages_real(file);
    return real->pMethods->xSectorSize(real);
}

static inline int watchwise_pages_characteristics(sqlite3_file *file) {
    sqlite3_file *real = watchwise_pages_real(file);
    return real->pMethods->xDeviceCharacteristics(real);
}

static inline int watchwise_pages_map(sqlite3_file *file, int region, int bytes, int extends, void volatile **at) {
    sqlite3_file *real = watchwise_pages_real(file);
    return real->pMethods->xShmMap(real, region, bytes, extends, at);
}

static inline int watchwise_pages_map_lock(sqlite3_file *file, int offset, int count, int flags) {
    sqlite3_file *real = watchwise_pages_real(file);
    return real->pMethods->xShmLock(real, offset, count, flags);
}

static inline void watchwise_pages_map_barrier(sqlite3_file *file) {
    sqlite3_file *real = watchwise_pages_real(file);
    real->pMethods->xShmBarrier(real);
}

static inline int watchwise_pages_unmap(sqlite3_file *file, int deletes) {
    sqlite3_file *real = watchwise_pages_real(file);
    return real->pMethods->xShmUnmap(real, deletes);
}

// Version 2: no page is read through a mapping, which would need xFetch of version 3.
static const sqlite3_io_methods watchwise_pages_methods = {
    .iVersion = 2,
    .xClose = watchwise_pages_close,
    .xRead = watchwise_pages_read,
    .xWrite = watchwise_pages_write,
    .xTruncate = watchwise_pages_truncate,
    .xSync = watchwise_pages_sync,
    .xFileSize = watchwise_pages_size,
    .xLock = watchwise_pages_lock,
    .xUnlock = watchwise_pages_unlock,
    .xCheckReservedLock = watchwise_pages_is_reserved,
    .xFileControl = watchwise_pages_control,
    .xSectorSize = watchwise_pages_sector_size,
    .xDeviceCharacteristics = watchwise_pages_characteristics,
    .xShmMap = watchwise_pages_map,
    .xShmLock = watchwise_pages_map_lock,
    .xShmBarrier = watchwise_pages_map_barrier,
    .xShmUnmap = watchwise_pages_unmap,
};

static inline int watchwise_pages_open(
    sqlite3_vfs *real, const char *name, sqlite3_file *file, int flags, int *flags_out
) {
    memset(file, 0, sizeof(struct watchwise_pages_file));
    int result = real->xOpen(real, name, watchwise_pages_real(file), flags, flags_out);
    // SQLite closes a file that has methods, also when opening it failed.
    if (watchwise_pages_real(file)->pMethods) file->pMethods = &watchwise_pages_methods;
    return result;
}

// Writes zeros over the unused bytes of pages that are in the file of a database.
//
// Only the thread that moves the log into the file may call it: nobody else writes pages there meanwhile. Who reads a page
// sees the same page before and after.
//
// `first` is the place of the first page, in pages from 0, and gets the place after the last one, or -1 at the end of the file;
// `written` gets how many pages had such bytes. SQLITE_MISUSE says that the database was opened through another VFS.
static inline int watchwise_pages_clear(sqlite3 *database, int page_bytes, sqlite3_int64 *first, int count, int *written) {
    sqlite3_file *main_file = NULL, *file = NULL;
    int result = sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &main_file);
    if (result != SQLITE_OK) return result;
    if (!main_file || !main_file->pMethods) return SQLITE_MISUSE;
    if (main_file->pMethods->xFileControl(main_file, watchwise_pages_self, &file) != SQLITE_OK) return SQLITE_MISUSE;
    sqlite3_file *real = watchwise_pages_real(file);
    sqlite3_int64 size = 0;
    result = real->pMethods->xFileSize(real, &size);
    unsigned char *page = result == SQLITE_OK ? sqlite3_malloc(2 * page_bytes) : NULL;
    if (!page) return result == SQLITE_OK ? SQLITE_NOMEM : result;
    memset(page + page_bytes, 0, (size_t)page_bytes);
    *written = 0;
    for (int number = 0; number < count && result == SQLITE_OK; number++) {
        sqlite3_int64 offset = *first * page_bytes;
        int start = 0;
        if (offset + page_bytes > size) {
            *first = -1;
            break;
        }
        result = real->pMethods->xRead(real, page, page_bytes, offset);
        if (result != SQLITE_OK) break;
        int unused = watchwise_unused_bytes(page, page_bytes, offset, size, &start);
        if (!watchwise_are_zeros(page + start, unused)) {
            result = real->pMethods->xWrite(real, page + page_bytes, unused, offset + start);
            *written += result == SQLITE_OK;
        }
        *first += 1;
    }
    sqlite3_free(page);
    return result;
}
