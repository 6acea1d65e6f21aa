import Glibc

/// A descriptor for the result of a command, such as standard output: all of it is written, or the caller learns why it is not.
///
/// - Confinement: any; the caller keeps the writes of several threads apart
package struct ResultOutput: Sendable {
    /// Why a result was not written.
    package enum Failure: Error, Hashable, Sendable {
        /// The reader of the pipe or socket has gone. A process that does not ignore SIGPIPE ends instead.
        case noReader
        /// A system call failed, for example because the disk is full: its sentence, as in `No space left on device`.
        case system(String)
    }

    private let descriptor: Int32

    /// - Parameter descriptor: Stays open and belongs to the caller.
    package init(descriptor: Int32) { self.descriptor = descriptor }

    /// Writes all bytes, and waits while the reader is slow. It waits, too, where another process that has the same pipe made it one that does
    /// not block (fcntl(2), `O_NONBLOCK`).
    package func write(_ bytes: [UInt8]) throws(Failure) {
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { bytes in
                unsafe Glibc.write(descriptor, bytes.baseAddress.map { unsafe $0 + written }, bytes.count - written)
            }
            if count >= 0 {
                written += count
                continue
            }
            switch errno {
            case EINTR: continue
            case EAGAIN: waitForRoom()
            case EPIPE, ECONNRESET: throw .noReader
            case let code: throw .system(PrivateFileError.sentence(code))
            }
        }
    }

    private func waitForRoom() {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = unsafe poll(&entry, 1, -1)
    }
}
