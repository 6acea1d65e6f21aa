import Glibc
import Synchronization

/// Lines on a descriptor that somebody else reads, such as standard error. A line that cannot be written at once is lost
/// and counted: the disk is full, the reader has gone, or the pipe is full because nobody reads it.
///
/// The caller neither waits nor fails, so a server outlives the reader of its log. A file on a disk that hangs is the
/// exception: the kernel makes each writer of such a file wait.
///
/// The process must ignore SIGPIPE, as it does after it has made a ``Loop``.
///
/// - Confinement: any
package final class LineOutput: Sendable {
    /// The one that all logs of the process share, as they share the descriptor.
    package static let standardError = LineOutput(descriptor: STDERR_FILENO)

    private struct State {
        /// Lines that were lost since the last one that was written.
        var gap = 0
        /// Whether the descriptor took a part of a line, so that the next one would continue it.
        var isInsideLine = false
    }

    private enum Outcome { case whole, part, nothing }

    private let descriptor: Int32
    /// Protected by its lock, which also keeps the lines of different threads apart.
    private let state = Mutex(State())
    private let lines = Atomic<Int>(0)

    /// - Parameter descriptor: Stays open and belongs to the caller.
    package init(descriptor: Int32) { self.descriptor = descriptor }

    /// Lines lost since the start.
    package var linesLost: Int { lines.load(ordering: .relaxed) }

    /// Writes a line, or loses it.
    ///
    /// - Parameters:
    ///   - line: With its line break.
    ///   - gapLine: Makes the line that goes before the first one after a gap, from the number of lost lines.
    package func write(_ line: String, afterGap gapLine: (Int) -> String) {
        state.withLock { state in
            guard endLostLine(&state) else { return lose(&state) }
            if state.gap > 0 {
                guard put(gapLine(state.gap), &state) else { return lose(&state) }
                state.gap = 0
            }
            if !put(line, &state) { lose(&state) }
        }
    }

    private func lose(_ state: inout State) {
        state.gap += 1
        lines.add(1, ordering: .relaxed)
    }

    /// - Returns: Whether the next line can begin.
    private func endLostLine(_ state: inout State) -> Bool {
        guard state.isInsideLine else { return true }
        guard attempt("\n") == .whole else { return false }
        state.isInsideLine = false
        return true
    }

    /// - Returns: Whether the whole text was written.
    private func put(_ text: String, _ state: inout State) -> Bool {
        let outcome = attempt(text)
        if outcome == .part { state.isInsideLine = true }
        return outcome == .whole
    }

    /// Writes pieces of 4,096 bytes, which a pipe takes as a whole or not at all (pipe(7), `PIPE_BUF`). A descriptor that
    /// has room for a piece, as poll(2) says, does not let its writer wait.
    private func attempt(_ text: String) -> Outcome {
        let bytes = Array(text.utf8)
        var written = 0
        while written < bytes.count {
            guard hasRoom() else { break }
            let count = unsafe bytes.withUnsafeBytes { bytes in
                unsafe Glibc.write(
                    descriptor, bytes.baseAddress.map { unsafe $0 + written }, min(bytes.count - written, 4096))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            written += count
        }
        return written == bytes.count ? .whole : written > 0 ? .part : .nothing
    }

    private func hasRoom() -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        // An error of the descriptor is left to the write, which finds it without waiting.
        return unsafe poll(&entry, 1, 0) > 0
    }
}
