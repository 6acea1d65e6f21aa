/// A kernel that exists in memory only, for one thread: clock, event loops, sockets and disk, all decided by one seed.
///
/// A program that links this target has no other kernel: the functions of libuv and the socket calls that the module
/// EventLoop uses are defined here, as are SQLite's default file system and the sources of randomness of Swift and
/// OpenSSL. The linker prefers them to the shared libraries', so the modules run unchanged.
/// Other functions (names of errors, texts of addresses, real files) still come from the libraries.
///
/// Times are milliseconds. Everything here belongs to one thread.
#ifndef SIMULATED_KERNEL_H
#define SIMULATED_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

// MARK: The seed and the trace

/// Begins a run: no connections, the monotonic clock at its beginning, the disk as `sim_disk_keep_image` left it.
/// All loops of the last run must have ended.
void sim_begin(uint64_t seed);
/// The next random number of the seed's one sequence (SplitMix64).
uint64_t sim_random(void);
/// A random number from 0 to `bound - 1`.
uint64_t sim_below(uint64_t bound);
/// Mixes a value into the trace.
void sim_note(uint64_t value);
/// A digest of everything since `sim_begin`: the bytes read and written, with reader, writer and time; disk, timers.
uint64_t sim_trace(void);
/// Prints the trace to standard error as it grows.
void sim_tell(bool is_told);
/// Standard output line by line, also into a pipe.
void sim_say_at_once(void);

// MARK: Time

/// Moves both clocks forward.
void sim_advance(int64_t milliseconds);
/// Moves only the wall clock.
void sim_jump_wall(int64_t milliseconds);
int64_t sim_now(void);
int64_t sim_wall(void);

// MARK: Loops

/// Loops made from now on belong to this process; a process can be killed.
void sim_set_process(int32_t process);
/// The number of the loop made last.
int32_t sim_last_loop(void);
/// Whether a turn of this loop would find something to do.
bool sim_is_ready(int32_t loop);
/// When the next timer of any loop is due; -1 when there is none.
int64_t sim_next_deadline(void);
/// The same without loops that are late: those that get no turn, because their thread waits.
int64_t sim_next_wake(void);
/// Called during reads, writes, syncs and locks of the disk, at random with these odds: other threads run meanwhile.
void sim_interrupt_disk(void (*interruption)(void), uint64_t odds);
/// Takes a process's sockets away, as the kernel does when it dies. `silently`: the machine is gone, and the peers are not notified.
void sim_kill_process(int32_t process, bool silently);

// MARK: Network

/// Moves bytes, ends or resets of one connection, chosen at random, as far as the seed says.
/// Returns false when no bytes may move now.
bool sim_move_bytes(void);
/// When delayed bytes move again; -1 when there are none.
int64_t sim_next_arrival(void);
/// Up to this many milliseconds of delay for each burst; with 0, everything arrives complete and at once.
void sim_set_delay(int64_t milliseconds);
/// Open connections.
int32_t sim_connection_count(void);
/// Open sockets of a process.
int32_t sim_socket_count(int32_t process);
/// Resets a connection chosen at random; both ends notice.
void sim_reset_connection(void);
/// Holds back all bytes of a random connection: of those to the client, to the server, or both.
void sim_freeze_connection(int32_t directions, int64_t milliseconds);
/// Lets everything move again.
void sim_thaw(void);
/// The next accepts, this many, fail because there are no descriptors.
void sim_fail_accepts(int32_t count);

// MARK: Disk

/// Makes SQLite keep all files here.
void sim_disk_install(void);
/// Saves the present files as the beginning of each run.
void sim_disk_keep_image(void);
/// Adds a copy of one file of the beginning to the beginning of each run.
void sim_disk_copy_image(const char *from, const char *to);
/// Gives a machine (1 to 7) a disk of its own, with the files of a folder; machine 0 has all other files.
void sim_disk_mount(int32_t machine, const char *folder);
/// Names the machine of the calls that follow: faults, crashes and what comes after them. Each run begins with 0.
void sim_disk_choose(int32_t machine);
/// Lets `after` more writes, syncs and truncations pass, then fails `count` of them: 0 EIO, 1 disk full.
void sim_disk_fail(int32_t after, int32_t count, int32_t kind);
/// The next fault of ``sim_disk_fail`` is followed by `count` reads that fail, too.
void sim_disk_fail_reads(int32_t count);
/// Lets `after` more writes, syncs and truncations pass; then nothing reaches the disk: the process is dying.
void sim_disk_die(int32_t after);
/// Whether this has happened.
bool sim_disk_is_dead(void);
/// The process dies. With a power cut, writes that were not synced are dropped, cut short or torn by sectors.
/// No file can be opened until `sim_disk_revive`.
void sim_disk_crash(bool is_power_cut);
/// The machine is up again.
void sim_disk_revive(void);
/// Writes and syncs the write-ahead logs of a dead process again, as `LeftLog` does on a real disk.
void sim_disk_rewrite_logs(void);
/// Syncs the write-ahead logs of a machine, as `CommitFlush` does once a second on a real disk.
void sim_disk_flush_logs(int32_t machine);
/// No more failures, on any machine.
void sim_disk_heal(void);
/// Writes, syncs and truncations so far in this run.
int64_t sim_disk_operations(void);

#endif
