import CSQLite
import Synchronization
import Testing

/// What SQLite was told is written reaches the file, or the next flush fails.
struct LogBufferTests {
    /// A file whose disk is full for some writes; SQLite's interface has no place for a state but a global.
    private static let state = Mutex(Disk())

    private struct Disk {
        var writesThatFail = 0
        var content: [UInt8] = []
    }

    @Test
    func `bytes that a full disk refused when something was read are written by the next flush, or refused again`()
        throws
    {
        var methods = sqlite3_io_methods()
        methods.iVersion = 1
        unsafe methods.xWrite = { _, bytes, count, offset in
            LogBufferTests.state.withLock { disk in
                guard disk.writesThatFail == 0, let bytes = unsafe bytes else {
                    disk.writesThatFail -= 1
                    return SQLITE_FULL
                }
                let written = unsafe UnsafeRawBufferPointer(start: bytes, count: Int(count))
                unsafe disk.content.replaceSubrange(Int(offset)..<disk.content.count, with: written)
                return SQLITE_OK
            }
        }
        unsafe methods.xRead = { _, _, _, _ in SQLITE_OK }
        unsafe methods.xSync = { _, _ in SQLITE_OK }
        unsafe methods.xClose = { _ in SQLITE_OK }
        try unsafe withUnsafePointer(to: &methods) { methods in
            var file = unsafe sqlite3_file(pMethods: methods)
            try unsafe withUnsafeMutablePointer(to: &file) { file in unsafe try Self.check(file) }
        }
    }

    @unsafe
    private static func check(_ file: UnsafeMutablePointer<sqlite3_file>) throws {
        #expect(unsafe watchwise_buffer_file(file) == SQLITE_OK)
        let buffered = unsafe try #require(file.pointee.pMethods).pointee
        let (write, read) = unsafe (try #require(buffered.xWrite), try #require(buffered.xRead))
        let (sync, close) = unsafe (try #require(buffered.xSync), try #require(buffered.xClose))
        var frame: [UInt8] = [1, 2, 3, 4]
        #expect(unsafe write(file, &frame, 4, 0) == SQLITE_OK)
        state.withLock { $0.writesThatFail = 2 }
        var page = [UInt8](repeating: 0, count: 4)
        #expect(unsafe read(file, &page, 4, 0) == SQLITE_FULL)
        #expect(unsafe sync(file, 0) == SQLITE_FULL, "a commit must not hold with a hole in the log")
        #expect(unsafe write(file, &frame, 4, 4) == SQLITE_OK)
        #expect(unsafe sync(file, 0) == SQLITE_OK)
        #expect(state.withLock { $0.content } == [1, 2, 3, 4, 1, 2, 3, 4])
        #expect(unsafe close(file) == SQLITE_OK)
    }
}
