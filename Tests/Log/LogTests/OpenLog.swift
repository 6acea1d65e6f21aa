import CSQLite
import GRDBSQLite
import Testing

/// A log with its buffer, above a file that a test makes of functions.
enum OpenLog {
    /// Opens a log; `body` or its caller closes it.
    ///
    /// - Parameter methods: of the file below. SQLite's interface has no place for a state of it.
    @unsafe
    static func with(
        _ methods: UnsafePointer<sqlite3_io_methods>, _ body: (UnsafeMutablePointer<sqlite3_file>) throws -> Void
    ) throws {
        var below = unsafe sqlite3_vfs()
        unsafe below.pAppData = UnsafeMutableRawPointer(mutating: methods)
        unsafe below.xOpen = { vfs, _, file, _, _ in
            unsafe file?.pointee.pMethods = UnsafePointer(
                vfs?.pointee.pAppData.assumingMemoryBound(to: sqlite3_io_methods.self))
            return SQLITE_OK
        }
        try unsafe withUnsafeMutablePointer(to: &below) { below in
            var vfs = unsafe watchwise_log_vfs(base: sqlite3_vfs(), real: below)
            let size = unsafe MemoryLayout<watchwise_log_file>.stride + MemoryLayout<sqlite3_file>.stride
            let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
            defer { unsafe memory.deallocate() }
            let file = unsafe memory.bindMemory(to: sqlite3_file.self, capacity: 1)
            #expect(unsafe watchwise_log_open(&vfs.base, nil, file, SQLITE_OPEN_WAL, nil) == SQLITE_OK)
            unsafe log(of: file).pointee.bytes =
                sqlite3_malloc(Int32(watchwise_log_buffer_bytes)).assumingMemoryBound(to: UInt8.self)
            try unsafe body(file)
        }
    }

    /// The log of an open file.
    @unsafe
    static func log(of file: UnsafeMutablePointer<sqlite3_file>) -> UnsafeMutablePointer<watchwise_log_file> {
        unsafe UnsafeMutableRawPointer(file).assumingMemoryBound(to: watchwise_log_file.self)
    }
}
