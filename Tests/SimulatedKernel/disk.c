// SQLite's file system in memory. It knows which bytes of each file were synced, and which a power cut may take away.
#include "kernel.h"
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

enum { SECTOR = 512, LOCKS = 8, REGIONS = 64, MACHINES = 8 };

/// A machine with a disk of its own, which has the files of one folder; the first machine has all others.
struct machine {
    char *folder;
    int32_t generation;
    bool is_off, is_dead;
    int32_t fail_after, fail_count, fail_kind, die_after;
    // Reads that fail after the next fault, and reads that fail now.
    int32_t reads_armed, reads_failing;
};

/// An unsynced write, or an unsynced truncation if `bytes` is absent.
struct change {
    size_t offset, count;
    uint8_t *bytes;
};

struct bytes {
    uint8_t *at;
    size_t count, capacity;
};

struct file {
    char *name;
    struct machine *machine;
    /// Deleted, or not made yet; kept because of its lock, and because a power cut may bring it back.
    bool exists, exists_durably;
    struct bytes content, durable;
    struct change *changes;
    size_t change_count;
    /// SQLite's locks on the file: the number of shared ones, and the holders of the reserved, pending and exclusive locks.
    int sharing;
    const void *reserver, *pender, *owner;
    /// The shared memory of the write-ahead log.
    void *regions[REGIONS];
    int region_count;
    int shared[LOCKS];
    const void *exclusive[LOCKS];
    struct file *next;
};

/// An open file of SQLite.
struct handle {
    sqlite3_file base;
    struct file *file;
    struct machine *machine;
    int32_t generation;
    int lock;
    bool is_temporary;
    uint8_t shared, exclusive;
};

struct image {
    char *name;
    struct bytes content;
    struct image *next;
};

static struct file *files;
static struct image *images;
/// Shared memory of processes that died while connections still pointed into it.
static void **orphans;
static size_t orphan_count;
/// `chosen`: the one to which the next faults happen.
static struct machine machines[MACHINES], *chosen = machines;
static int64_t operations;

static void (*interruption)(void);
static uint64_t interruption_odds;
static bool is_interrupted;

void sim_interrupt_disk(void (*called)(void), uint64_t odds) {
    interruption = called;
    interruption_odds = odds;
}

/// Lets other threads run while this one is in a kernel call.
static void interrupt(const struct handle *handle) {
    if (!interruption || is_interrupted || handle->machine->is_off || sim_below(interruption_odds) != 0) return;
    is_interrupted = true;
    interruption();
    is_interrupted = false;
}

// MARK: Bytes

static void resize(struct bytes *bytes, size_t count) {
    if (count > bytes->capacity) {
        bytes->capacity = count + count / 2 + 4096;
        bytes->at = realloc(bytes->at, bytes->capacity);
    }
    if (count > bytes->count) memset(bytes->at + bytes->count, 0, count - bytes->count);
    bytes->count = count;
}

static void put(struct bytes *bytes, size_t offset, const uint8_t *from, size_t count) {
    if (offset + count > bytes->count) resize(bytes, offset + count);
    memcpy(bytes->at + offset, from, count);
}

static void copy(struct bytes *to, const struct bytes *from) {
    to->count = 0;
    resize(to, from->count);
    if (from->count > 0) memcpy(to->at, from->at, from->count);
}

static void apply(struct bytes *to, const struct change *change) {
    if (change->bytes) put(to, change->offset, change->bytes, change->count);
    else resize(to, change->offset);
}

// MARK: Files

static void forget_changes(struct file *file) {
    for (size_t index = 0; index < file->change_count; index++) free(file->changes[index].bytes);
    file->change_count = 0;
}

static void note_change(struct file *file, size_t offset, const void *bytes, size_t count) {
    if ((file->change_count & (file->change_count + 1)) == 0)
        file->changes = realloc(file->changes, (2 * file->change_count + 2) * sizeof *file->changes);
    struct change *change = &file->changes[file->change_count++];
    *change = (struct change){offset, count, NULL};
    if (bytes) memcpy(change->bytes = malloc(count + 1), bytes, count);
}

static void make_durable(struct file *file) {
    for (size_t index = 0; index < file->change_count; index++) apply(&file->durable, &file->changes[index]);
    forget_changes(file);
    file->exists_durably = file->exists;
}

static void free_file(struct file *file) {
    forget_changes(file);
    for (int index = 0; index < file->region_count; index++) free(file->regions[index]);
    free(file->changes);
    free(file->content.at);
    free(file->durable.at);
    free(file->name);
    free(file);
}

static struct file *find(const char *name) {
    struct file *file = files;
    while (file && strcmp(file->name, name) != 0) file = file->next;
    return file;
}

static struct machine *machine_of(const char *name) {
    for (int number = 1; number < MACHINES; number++) {
        const char *folder = machines[number].folder;
        if (folder && strncmp(name, folder, strlen(folder)) == 0) return &machines[number];
    }
    return machines;
}

static struct file *make(const char *name) {
    struct file *file = calloc(1, sizeof *file);
    file->name = strdup(name);
    file->machine = machine_of(name);
    file->next = files;
    files = file;
    return file;
}

static uint64_t hash(const struct file *file) {
    uint64_t sum = 0;
    const char *slash = strrchr(file->name, '/');
    for (const char *at = slash ? slash : file->name; *at; at++) sum = sum * 31 + (uint8_t)*at;
    return sum;
}

// MARK: Faults

/// Counts an operation that changes the disk.
/// Returns the error of the operation, or SQLITE_OK.
static int fault(const struct handle *handle, int error) {
    struct machine *machine = handle->machine;
    if (machine->is_dead || machine->is_off || handle->generation != machine->generation) return error;
    operations++;
    if (machine->die_after >= 0 && machine->die_after-- == 0) {
        machine->is_dead = true;
        sim_trace_event(EVENT_DISK_FAULT, 2, NULL, 0);
        return error;
    }
    if (machine->fail_count > 0 && machine->fail_after-- <= 0) {
        machine->fail_count--;
        machine->reads_failing = machine->reads_armed;
        machine->reads_armed = 0;
        sim_trace_event(EVENT_DISK_FAULT, (uint64_t)machine->fail_kind, NULL, 0);
        return machine->fail_kind == 1 && error != SQLITE_IOERR_FSYNC ? SQLITE_FULL : error;
    }
    return SQLITE_OK;
}

void sim_disk_mount(int32_t number, const char *folder) {
    free(machines[number].folder);
    machines[number].folder = strdup(folder);
}

void sim_disk_choose(int32_t number) { chosen = &machines[number]; }

void sim_disk_fail(int32_t after, int32_t count, int32_t kind) {
    chosen->fail_after = after;
    chosen->fail_count = count;
    chosen->fail_kind = kind;
}

void sim_disk_fail_reads(int32_t count) { chosen->reads_armed = count; }
void sim_disk_die(int32_t after) { chosen->die_after = after; }
bool sim_disk_is_dead(void) { return chosen->is_dead; }
int64_t sim_disk_operations(void) { return operations; }

static void heal(struct machine *machine) {
    machine->fail_count = 0;
    machine->reads_armed = machine->reads_failing = 0;
    machine->die_after = -1;
}

void sim_disk_heal(void) {
    for (int number = 0; number < MACHINES; number++) heal(&machines[number]);
}

/// Writes a part of the sectors to the disk: all, none, those up to a point, or random ones.
static void tear(struct bytes *to, const struct change *change) {
    uint64_t kind = sim_below(4);
    if (kind == 0) return;
    if (kind == 1 || !change->bytes) return apply(to, change);
    size_t sectors = (change->offset + change->count - 1) / SECTOR - change->offset / SECTOR + 1;
    size_t cut = (size_t)sim_below(sectors + 1);
    for (size_t index = 0; index < sectors; index++) {
        if (kind == 2 ? index >= cut : sim_below(2) == 0) continue;
        size_t start = (change->offset / SECTOR + index) * SECTOR, end = start + SECTOR;
        if (start < change->offset) start = change->offset;
        if (end > change->offset + change->count) end = change->offset + change->count;
        put(to, start, change->bytes + (start - change->offset), end - start);
    }
}

void sim_disk_crash(bool is_power_cut) {
    chosen->generation++;
    chosen->is_off = true;
    chosen->is_dead = false;
    heal(chosen);
    for (struct file *file = files; file; file = file->next) {
        if (file->machine != chosen) continue;
        file->sharing = 0;
        file->reserver = file->pender = file->owner = NULL;
        orphans = realloc(orphans, (orphan_count + REGIONS) * sizeof *orphans);
        for (int index = 0; index < file->region_count; index++) orphans[orphan_count++] = file->regions[index];
        file->region_count = 0;
        memset(file->shared, 0, sizeof file->shared);
        memset(file->exclusive, 0, sizeof file->exclusive);
        if (!is_power_cut) continue;
        for (size_t index = 0; index < file->change_count; index++) tear(&file->durable, &file->changes[index]);
        forget_changes(file);
        if (file->exists != file->exists_durably && sim_below(2) == 0) file->exists = file->exists_durably;
        file->exists_durably = file->exists;
        if (!file->exists) file->durable.count = 0;
        copy(&file->content, &file->durable);
        sim_trace_event(EVENT_CUT, hash(file), file->content.at, file->content.count);
    }
}

/// Whether a file is a write-ahead log of a machine that has something in it.
static bool is_log(const struct file *file, const struct machine *machine) {
    size_t length = strlen(file->name);
    if (file->machine != machine || !file->exists || file->content.count == 0 || length < 4) return false;
    return strcmp(file->name + length - 4, "-wal") == 0;
}

void sim_disk_flush_logs(int32_t machine) {
    for (struct file *file = files; file; file = file->next) {
        if (is_log(file, machines + machine)) make_durable(file);
    }
}

void sim_disk_rewrite_logs(void) {
    for (struct file *file = files; file; file = file->next) {
        if (!is_log(file, chosen)) continue;
        note_change(file, 0, file->content.at, file->content.count);
        make_durable(file);
    }
}

void sim_disk_revive(void) { chosen->is_off = false; }

// MARK: SQLite's methods of a file

static int file_close(sqlite3_file *base) {
    struct handle *handle = (struct handle *)base;
    if (handle->is_temporary) free_file(handle->file);
    return SQLITE_OK;
}

static bool is_gone(const struct handle *handle) {
    const struct machine *machine = handle->machine;
    return !handle->is_temporary && (machine->is_dead || machine->is_off || handle->generation != machine->generation);
}

static int file_read(sqlite3_file *base, void *buffer, int count, sqlite3_int64 offset) {
    struct handle *handle = (struct handle *)base;
    if (!handle->is_temporary && handle->machine->reads_failing > 0) {
        handle->machine->reads_failing--;
        sim_trace_event(EVENT_DISK_FAULT, 3, NULL, 0);
        return SQLITE_IOERR_READ;
    }
    interrupt(handle);
    if (is_gone(handle)) return SQLITE_IOERR_READ;
    const struct bytes *content = &handle->file->content;
    size_t start = (size_t)offset, wanted = (size_t)count;
    size_t there = start < content->count ? content->count - start : 0;
    if (there >= wanted) {
        memcpy(buffer, content->at + start, wanted);
        return SQLITE_OK;
    }
    if (there > 0) memcpy(buffer, content->at + start, there);
    memset((uint8_t *)buffer + there, 0, wanted - there);
    return SQLITE_IOERR_SHORT_READ;
}

static int file_write(sqlite3_file *base, const void *buffer, int count, sqlite3_int64 offset) {
    struct handle *handle = (struct handle *)base;
    if (handle->is_temporary) return put(&handle->file->content, (size_t)offset, buffer, (size_t)count), SQLITE_OK;
    interrupt(handle);
    int error = fault(handle, SQLITE_IOERR_WRITE);
    if (error != SQLITE_OK) return error;
    put(&handle->file->content, (size_t)offset, buffer, (size_t)count);
    note_change(handle->file, (size_t)offset, buffer, (size_t)count);
    sim_trace_event(EVENT_DISK_WRITE, hash(handle->file) ^ (uint64_t)offset << 20, buffer, (size_t)count);
    return SQLITE_OK;
}

static int file_truncate(sqlite3_file *base, sqlite3_int64 size) {
    struct handle *handle = (struct handle *)base;
    if (handle->is_temporary) return resize(&handle->file->content, (size_t)size), SQLITE_OK;
    int error = fault(handle, SQLITE_IOERR_TRUNCATE);
    if (error != SQLITE_OK) return error;
    resize(&handle->file->content, (size_t)size);
    note_change(handle->file, (size_t)size, NULL, 0);
    sim_trace_event(EVENT_DISK_TRUNCATE, hash(handle->file), NULL, (size_t)size);
    return SQLITE_OK;
}

static int file_sync(sqlite3_file *base, int flags) {
    (void)flags;
    struct handle *handle = (struct handle *)base;
    if (handle->is_temporary) return SQLITE_OK;
    interrupt(handle);
    int error = fault(handle, SQLITE_IOERR_FSYNC);
    sim_trace_event(EVENT_DISK_SYNC, hash(handle->file), NULL, (size_t)error);
    if (error == SQLITE_OK) {
        make_durable(handle->file);
    } else if (!is_gone(handle) && sim_below(2) == 0) {
        // Linux reports it once: unwritten pages count as clean from then on, and a second sync succeeds.
        for (size_t index = 0; index < handle->file->change_count; index++)
            tear(&handle->file->durable, &handle->file->changes[index]);
        forget_changes(handle->file);
    }
    return error;
}

static int file_size(sqlite3_file *base, sqlite3_int64 *size) {
    struct handle *handle = (struct handle *)base;
    if (is_gone(handle)) return SQLITE_IOERR_FSTAT;
    *size = (sqlite3_int64)handle->file->content.count;
    return SQLITE_OK;
}

static int file_lock(sqlite3_file *base, int level) {
    struct handle *handle = (struct handle *)base;
    struct file *file = handle->file;
    if (is_gone(handle)) return SQLITE_IOERR_LOCK;
    if (handle->lock >= level) return SQLITE_OK;
    bool others_have = (file->owner && file->owner != handle) || (file->pender && file->pender != handle);
    if (level == SQLITE_LOCK_SHARED) {
        if (others_have) return SQLITE_BUSY;
        file->sharing++;
    } else if (level == SQLITE_LOCK_RESERVED) {
        if (others_have || (file->reserver && file->reserver != handle)) return SQLITE_BUSY;
        file->reserver = handle;
    } else {
        if (others_have || (file->reserver && file->reserver != handle)) return SQLITE_BUSY;
        file->pender = handle;
        if (handle->lock < SQLITE_LOCK_PENDING) handle->lock = SQLITE_LOCK_PENDING;
        if (file->sharing > 1) return SQLITE_BUSY;
        file->owner = handle;
    }
    handle->lock = level;
    return SQLITE_OK;
}

static int file_unlock(sqlite3_file *base, int level) {
    struct handle *handle = (struct handle *)base;
    struct file *file = handle->file;
    if (is_gone(handle) || handle->lock <= level) return SQLITE_OK;
    if (file->reserver == handle) file->reserver = NULL;
    if (file->pender == handle) file->pender = NULL;
    if (file->owner == handle) file->owner = NULL;
    if (level == SQLITE_LOCK_NONE) file->sharing--;
    handle->lock = level;
    return SQLITE_OK;
}

static int file_check_reserved(sqlite3_file *base, int *is_reserved) {
    *is_reserved = ((struct handle *)base)->file->reserver != NULL;
    return SQLITE_OK;
}

static int file_control(sqlite3_file *base, int operation, void *argument) {
    (void)base, (void)operation, (void)argument;
    return SQLITE_NOTFOUND;
}

static int file_sector_size(sqlite3_file *base) {
    (void)base;
    return 4096;
}

static int file_characteristics(sqlite3_file *base) {
    (void)base;
    return SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

static int shared_map(sqlite3_file *base, int region, int size, int is_made, void volatile **memory) {
    struct handle *handle = (struct handle *)base;
    struct file *file = handle->file;
    *memory = NULL;
    if (is_gone(handle) || region >= REGIONS) return SQLITE_IOERR_SHMMAP;
    while (file->region_count <= region) {
        if (!is_made) return SQLITE_OK;
        file->regions[file->region_count++] = calloc(1, (size_t)size);
    }
    *memory = file->regions[region];
    return SQLITE_OK;
}

static int shared_lock(sqlite3_file *base, int offset, int count, int flags) {
    struct handle *handle = (struct handle *)base;
    struct file *file = handle->file;
    interrupt(handle);
    if (is_gone(handle)) return SQLITE_IOERR_SHMLOCK;
    for (int index = offset; index < offset + count && flags & SQLITE_SHM_LOCK; index++) {
        bool others_have = file->exclusive[index] && file->exclusive[index] != handle;
        int others_share = file->shared[index] - (handle->shared >> index & 1);
        if (others_have || (flags & SQLITE_SHM_EXCLUSIVE && others_share > 0)) return SQLITE_BUSY;
    }
    for (int index = offset; index < offset + count; index++) {
        uint8_t bit = (uint8_t)(1 << index);
        if (flags & SQLITE_SHM_LOCK && flags & SQLITE_SHM_SHARED && !(handle->shared & bit)) {
            handle->shared |= bit;
            file->shared[index]++;
        } else if (flags & SQLITE_SHM_LOCK && flags & SQLITE_SHM_EXCLUSIVE) {
            handle->exclusive |= bit;
            file->exclusive[index] = handle;
        } else if (flags & SQLITE_SHM_UNLOCK) {
            if (handle->shared & bit) file->shared[index]--;
            if (file->exclusive[index] == handle) file->exclusive[index] = NULL;
            handle->shared &= (uint8_t)~bit;
            handle->exclusive &= (uint8_t)~bit;
        }
    }
    return SQLITE_OK;
}

static void shared_barrier(sqlite3_file *base) { (void)base; }

static int shared_unmap(sqlite3_file *base, int is_deleted) {
    struct handle *handle = (struct handle *)base;
    if (is_gone(handle)) return SQLITE_OK;
    shared_lock(base, 0, LOCKS, SQLITE_SHM_UNLOCK | SQLITE_SHM_SHARED);
    if (is_deleted) {
        for (int index = 0; index < handle->file->region_count; index++) free(handle->file->regions[index]);
        handle->file->region_count = 0;
    }
    return SQLITE_OK;
}

static const sqlite3_io_methods methods = {
    2, file_close, file_read, file_write, file_truncate, file_sync, file_size, file_lock, file_unlock,
    file_check_reserved, file_control, file_sector_size, file_characteristics, shared_map, shared_lock,
    shared_barrier, shared_unmap, NULL, NULL,
};

// MARK: SQLite's methods of a file system

static int disk_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *base, int flags, int *flags_out) {
    (void)vfs;
    struct handle *handle = (struct handle *)base;
    memset(handle, 0, sizeof *handle);
    handle->machine = name ? machine_of(name) : machines;
    if (handle->machine->is_off || handle->machine->is_dead) return SQLITE_CANTOPEN;
    handle->generation = handle->machine->generation;
    if (!name) {
        handle->is_temporary = true;
        handle->file = calloc(1, sizeof *handle->file);
    } else {
        struct file *file = find(name);
        if ((!file || !file->exists) && !(flags & SQLITE_OPEN_CREATE)) return SQLITE_CANTOPEN;
        if (!file) file = make(name);
        file->exists = true;
        handle->file = file;
    }
    handle->base.pMethods = &methods;
    if (flags_out) *flags_out = flags;
    return SQLITE_OK;
}

static int disk_delete(sqlite3_vfs *vfs, const char *name, int is_synced) {
    (void)vfs;
    struct file *file = find(name);
    const struct machine *machine = machine_of(name);
    if (machine->is_off || machine->is_dead) return SQLITE_IOERR_DELETE;
    if (!file || !file->exists) return SQLITE_IOERR_DELETE_NOENT;
    file->exists = false;
    file->content.count = 0;
    if (!is_synced) return SQLITE_OK;
    forget_changes(file);
    file->durable.count = 0;
    file->exists_durably = false;
    return SQLITE_OK;
}

static int disk_access(sqlite3_vfs *vfs, const char *name, int flags, int *result) {
    (void)vfs, (void)flags;
    struct file *file = find(name);
    *result = file && file->exists;
    return SQLITE_OK;
}

static int disk_full_name(sqlite3_vfs *vfs, const char *name, int count, char *out) {
    (void)vfs;
    sqlite3_snprintf(count, out, "%s", name);
    return SQLITE_OK;
}

static int disk_random(sqlite3_vfs *vfs, int count, char *bytes) {
    (void)vfs;
    for (int index = 0; index < count; index++) bytes[index] = (char)sim_random();
    return count;
}

static int disk_sleep(sqlite3_vfs *vfs, int microseconds) {
    (void)vfs;
    return microseconds;
}

static int disk_time(sqlite3_vfs *vfs, sqlite3_int64 *time) {
    (void)vfs;
    *time = sim_wall() + 210866760000000;
    return SQLITE_OK;
}

static int disk_error(sqlite3_vfs *vfs, int count, char *text) {
    (void)vfs, (void)count, (void)text;
    return 0;
}

static int disk_days(sqlite3_vfs *vfs, double *days) {
    sqlite3_int64 time;
    disk_time(vfs, &time);
    *days = (double)time / 86400000.0;
    return SQLITE_OK;
}

void sim_disk_install(void) {
    static sqlite3_vfs vfs = {
        .iVersion = 2, .szOsFile = sizeof(struct handle), .mxPathname = 512, .zName = "simulated",
        .xOpen = disk_open, .xDelete = disk_delete, .xAccess = disk_access, .xFullPathname = disk_full_name,
        .xRandomness = disk_random, .xSleep = disk_sleep, .xCurrentTime = disk_days, .xGetLastError = disk_error,
        .xCurrentTimeInt64 = disk_time,
    };
    sqlite3_vfs_register(&vfs, 1);
}

void sim_disk_keep_image(void) {
    for (struct file *file = files; file; file = file->next) {
        if (!file->exists) continue;
        struct image *image = calloc(1, sizeof *image);
        image->name = strdup(file->name);
        copy(&image->content, &file->content);
        image->next = images;
        images = image;
    }
}

void sim_disk_copy_image(const char *from, const char *to) {
    for (struct image *image = images; image; image = image->next) {
        if (strcmp(image->name, from) != 0) continue;
        struct image *made = calloc(1, sizeof *made);
        made->name = strdup(to);
        copy(&made->content, &image->content);
        made->next = images;
        images = made;
        return;
    }
}

void disk_begin(void) {
    interruption = NULL;
    chosen = machines;
    for (int number = 0; number < MACHINES; number++) {
        machines[number].generation++;
        machines[number].is_off = machines[number].is_dead = false;
    }
    operations = 0;
    sim_disk_heal();
    for (struct file *file = files, *next; file; file = next) {
        next = file->next;
        free_file(file);
    }
    files = NULL;
    for (size_t index = 0; index < orphan_count; index++) free(orphans[index]);
    orphan_count = 0;
    for (const struct image *image = images; image; image = image->next) {
        struct file *file = make(image->name);
        file->exists = file->exists_durably = true;
        copy(&file->content, &image->content);
        copy(&file->durable, &image->content);
    }
}
