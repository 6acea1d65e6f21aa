import CSQLite
import GRDBSQLite
import Synchronization
import Testing
@testable import Log

/// The log of a node whose commits the journal has: which flushes reach the disk.
@Suite(.serialized) struct RelyingLogTests {
    private struct Disk {
        var content: [UInt8] = []
        var flushes = 0
        var flushesThatFail = 0
        /// Bytes that were written since the last flush, whatever became of it.
        var written = 0
    }

    /// SQLite's interface allows only a global state.
    private static let state = Mutex(Disk())

    private static nonisolated(unsafe) let methods: UnsafePointer<sqlite3_io_methods> = {
        var methods = sqlite3_io_methods()
        methods.iVersion = 1
        unsafe methods.xWrite = { _, bytes, count, offset in
            guard let bytes = unsafe bytes else { return SQLITE_IOERR }
            let written = unsafe Array(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
            RelyingLogTests.state.withLock { disk in
                let end = Int(offset) + written.count
                disk.content += Array(repeating: 0, count: max(0, end - disk.content.count))
                disk.content.replaceSubrange(Int(offset)..<end, with: written)
                disk.written += written.count
            }
            return SQLITE_OK
        }
        unsafe methods.xRead = { _, bytes, count, offset in
            RelyingLogTests.state.withLock { disk in
                let place = Int(offset)..<Int(offset) + Int(count)
                unsafe bytes?.copyMemory(from: Array(disk.content[place]), byteCount: Int(count))
            }
            return SQLITE_OK
        }
        unsafe methods.xFileSize = { _, size in
            unsafe size?.pointee = RelyingLogTests.state.withLock { Int64($0.content.count) }
            return SQLITE_OK
        }
        unsafe methods.xSync = { _, _ in
            RelyingLogTests.state.withLock { disk in
                disk.written = 0
                guard disk.flushesThatFail == 0 else {
                    disk.flushesThatFail -= 1
                    return SQLITE_IOERR
                }
                disk.flushes += 1
                return SQLITE_OK
            }
        }
        unsafe methods.xClose = { _ in SQLITE_OK }
        let kept = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        unsafe kept.initialize(to: methods)
        return unsafe UnsafePointer(kept)
    }()

    /// An open log that relies on the journal.
    @unsafe
    private func withLog(_ body: (UnsafeMutablePointer<sqlite3_file>) -> Void) throws {
        Self.state.withLock { $0 = Disk() }
        try unsafe OpenLog.with(Self.methods) { file in
            unsafe OpenLog.log(of: file).pointee.relies = 1
            defer { #expect(unsafe watchwise_log_close(file) == SQLITE_OK) }
            unsafe body(file)
        }
    }

    private var flushes: Int { Self.state.withLock { $0.flushes } }

    @Test func `a commit is written and not flushed; a new log and a checkpoint are flushed`() throws {
        try unsafe withLog { file in
            var frame: [UInt8] = [1, 2, 3, 4]
            #expect(unsafe watchwise_log_write(file, &frame, 4, 0) == SQLITE_OK)
            #expect(unsafe watchwise_log_sync(file, 0) == SQLITE_OK)
            #expect(flushes == 1, "the header of a log that begins")
            for offset in [4, 8] as [Int64] {
                #expect(unsafe watchwise_log_write(file, &frame, 4, offset) == SQLITE_OK)
                #expect(unsafe watchwise_log_sync(file, 0) == SQLITE_OK)
            }
            #expect(flushes == 1)
            #expect(Self.state.withLock { $0.content } == [1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4])
            #expect(unsafe watchwise_log_sync(file, 0) == SQLITE_OK)
            #expect(flushes == 2, "before a checkpoint")
        }
    }

    @Test
    func `after a checkpoint that could not flush, commits fail until the log was written and flushed again`() throws {
        try unsafe withLog { file in
            var frame: [UInt8] = [1, 2, 3, 4]
            #expect(unsafe watchwise_log_write(file, &frame, 4, 4) == SQLITE_OK)
            #expect(unsafe watchwise_log_write(file, &frame, 4, 0) == SQLITE_OK)
            #expect(unsafe watchwise_log_sync(file, 0) == SQLITE_OK)
            Self.state.withLock { $0.flushesThatFail = 2 }
            #expect(unsafe watchwise_log_sync(file, 0) == SQLITE_IOERR)
            #expect(unsafe watchwise_log_write(file, &frame, 4, 8) == SQLITE_OK)
            #expect(unsafe watchwise_log_sync(file, 0) == SQLITE_IOERR, "a commit says that the disk fails")
            #expect(unsafe watchwise_log_write(file, &frame, 4, 8) == SQLITE_OK)
            #expect(unsafe watchwise_log_sync(file, 0) == SQLITE_OK)
            #expect(Self.state.withLock { $0.written } == 0 && flushes == 2, "all bytes of the log, then the flush")
            #expect(unsafe watchwise_log_write(file, &frame, 4, 12) == SQLITE_OK)
            #expect(unsafe watchwise_log_sync(file, 0) == SQLITE_OK)
            #expect(flushes == 2, "and then as before")
        }
    }
}
