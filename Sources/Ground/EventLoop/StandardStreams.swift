import Glibc

/// Standard input, output and error of the process.
///
/// - Confinement: the main thread, before any other begins
package enum StandardStreams {
    /// Opens `/dev/null` for those that the process was started without. Otherwise the next file or socket would get their
    /// numbers, and the lines of the log would go into a database or to a client.
    package static func fillGaps() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest free number is this one, since those before it are open.
            _ = unsafe open("/dev/null", O_RDWR)
        }
    }
}
