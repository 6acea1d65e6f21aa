import Files

/// A file with a key, which is read again when it has changed.
///
/// - Confinement: store (the thread of pushes); reading blocks on the disk
struct PushKeyFile<Key> {
    /// The time for which the file is not looked at again.
    private static var freshMilliseconds: Int64 { 1_000 }

    private let path: String
    private let read: (String) throws -> Key
    private var known: Result<Key, any Error>?
    private var stamp: ReadableFile.Stamp?
    private var lookedAt: Int64?
    /// Grows when another key was read.
    private(set) var revision = 0

    init(path: String, read: @escaping (String) throws -> Key) {
        self.path = path
        self.read = read
    }

    /// - Parameter tick: Milliseconds of a monotonic clock.
    /// - Throws: when the file cannot be used; it is read again after a second.
    mutating func key(tick: Int64) throws -> Key {
        if let known, let lookedAt, tick - lookedAt < Self.freshMilliseconds { return try known.get() }
        lookedAt = tick
        let present = ReadableFile(path: path).stamp()
        if case .success(let key) = known, present != nil, present == stamp { return key }
        let result = Result { try read(path) }
        // The stamp is from before the reading, so a file that changes between the two is read once more.
        if case .success = result {
            stamp = present
            revision += 1
        }
        known = result
        return try result.get()
    }

    /// Looks at the file at the next use, however soon that is.
    mutating func lookAgain() { lookedAt = nil }
}
