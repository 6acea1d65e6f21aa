import Foundation
#if os(Linux)
    import Glibc
#endif

/// The right to connect with a store in a file: one process has it at a time. The system takes it back when the process ends.
/// - Confinement: WatchWiseActor
@WatchWiseActor
final class StoreLock {
    private let path: String
    private var handle: FileHandle?

    init(_ storePath: String) { path = storePath + ".lock" }

    /// Whether this process has it.
    var isHeld: Bool { handle != nil }

    /// Takes it, if nobody has it. Where locks do not work, it is taken.
    func take() {
        guard handle == nil else { return }
        if !FileManager.default.fileExists(atPath: path) {
            _ = FileManager.default.createFile(atPath: path, contents: nil)
        }
        guard let file = FileHandle(forUpdatingAtPath: path) else { return }
        if flock(file.fileDescriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK { handle = file }
    }

    func release() {
        try? handle?.close()
        handle = nil
    }
}
