import GRDBSQLite
import Model
import Synchronization

/// A VFS of SQLite with a given time, which opens no file.
///
/// SQLite asks its VFS for the time, for `'now'`, `CURRENT_TIMESTAMP` and `date()` without arguments; this one gives
/// the time of the change under evaluation, so that a replay a year later gives the same answer. And since it refuses
/// every file, a sorter or a temporary table that outgrows its cache fails instead of filling the disk.
///
/// C sees a copy of the default VFS; the given time lies after it in the same block of memory.
///
/// - Confinement: store
@safe
final class ConditionClock {
    /// The name by which SQLite finds the VFS; each runner has one of its own, since each has its own time.
    let name: String

    private let block: UnsafeMutableRawPointer
    private let vfs: UnsafeMutablePointer<sqlite3_vfs>
    private let nameBytes: UnsafeMutablePointer<CChar>

    private static let count = Atomic<Int>(0)
    private static let timeOffset = unsafe MemoryLayout<sqlite3_vfs>.stride
    /// Milliseconds from noon of -4713-11-24, where SQLite begins to count, to 1970.
    private static let julianMilliseconds1970: Int64 = 210_866_760_000_000

    /// Nil when SQLite has no VFS to copy, or refuses the new one.
    init?() {
        guard sqlite3_initialize() == SQLITE_OK, let original = unsafe sqlite3_vfs_find(nil) else { return nil }
        name = "watchwise-condition-\(Self.count.add(1, ordering: .relaxed).newValue)"
        unsafe block = UnsafeMutableRawPointer.allocate(
            byteCount: Self.timeOffset + MemoryLayout<Int64>.size,
            alignment: MemoryLayout<sqlite3_vfs>.alignment
        )
        unsafe vfs = block.initializeMemory(as: sqlite3_vfs.self, repeating: original.pointee, count: 1)
        let bytes = name.utf8CString
        unsafe nameBytes = .allocate(capacity: bytes.count)
        for (index, byte) in bytes.enumerated() { unsafe (nameBytes + index).initialize(to: byte) }
        unsafe block.storeBytes(of: Self.julianMilliseconds1970, toByteOffset: Self.timeOffset, as: Int64.self)
        unsafe vfs.pointee.zName = UnsafePointer(nameBytes)
        unsafe vfs.pointee.pNext = nil
        unsafe vfs.pointee.xOpen = refuseToOpen
        unsafe vfs.pointee.xDlOpen = nil
        unsafe vfs.pointee.xCurrentTimeInt64 = giveTime
        guard unsafe sqlite3_vfs_register(vfs, 0) == SQLITE_OK else { return nil }
    }

    deinit {
        unsafe sqlite3_vfs_unregister(vfs)
        unsafe nameBytes.deallocate()
        unsafe block.deallocate()
    }

    /// Sets the time that SQLite gets from now on.
    func set(_ now: Timestamp) {
        let milliseconds = now.milliseconds.addingReportingOverflow(Self.julianMilliseconds1970)
        let held = milliseconds.overflow ? Int64.max : milliseconds.partialValue
        unsafe block.storeBytes(of: held, toByteOffset: Self.timeOffset, as: Int64.self)
    }

    /// The time stored after the VFS at `vfs`.
    @unsafe
    static func time(of vfs: UnsafeMutablePointer<sqlite3_vfs>) -> Int64 {
        unsafe UnsafeRawPointer(vfs).load(fromByteOffset: timeOffset, as: Int64.self)
    }
}

@available(*, unavailable)
extension ConditionClock: Sendable {}

private func giveTime(
    vfs: UnsafeMutablePointer<sqlite3_vfs>?,
    time: UnsafeMutablePointer<sqlite3_int64>?
) -> Int32 {
    guard let vfs = unsafe vfs, let time = unsafe time else { return SQLITE_ERROR }
    unsafe time.pointee = unsafe ConditionClock.time(of: vfs)
    return SQLITE_OK
}

private func refuseToOpen(
    vfs: UnsafeMutablePointer<sqlite3_vfs>?,
    name: UnsafePointer<CChar>?,
    file: UnsafeMutablePointer<sqlite3_file>?,
    flags: Int32,
    outFlags: UnsafeMutablePointer<Int32>?
) -> Int32 {
    // SQLite closes the file only when it has methods.
    unsafe file?.pointee.pMethods = nil
    return SQLITE_CANTOPEN
}
