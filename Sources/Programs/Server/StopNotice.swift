package import EventLoop
import Glibc

/// The signals that end a server, SIGTERM and SIGINT, and the time between one and the stop. Proxies see meanwhile that the
/// server is not ready, and send nobody there any more.
///
/// - Confinement: loop
package final class StopNotice {
    private let milliseconds: Int64
    /// Lets the server say that it is not ready; nil before it has started.
    package var announce: (() -> Void)?
    private let stop: () -> Void
    private var signals: [SignalSource] = []
    private var timer: LoopTimer?

    /// - Parameters:
    ///   - milliseconds: how long the stop waits; 0 for not at all.
    ///   - stop: begins the stop; it may be called again.
    package init(_ milliseconds: Int64, on loop: Loop, stop: @escaping () -> Void) throws {
        self.milliseconds = milliseconds
        self.stop = stop
        timer = milliseconds > 0 ? LoopTimer(on: loop, fire: stop) : nil
        signals = try [SIGTERM, SIGINT].map { signal in
            try SignalSource(on: loop, signal: signal) { [unowned self] in signalled() }
        }
    }

    /// A second signal is not waited for, and neither is one during the start.
    private func signalled() {
        guard let timer, let announce else { return stop() }
        self.announce = nil
        announce()
        timer.start(afterMilliseconds: milliseconds)
    }

    package func close() {
        timer?.close()
        timer = nil
        for signal in signals where !signal.isClosed { signal.close() }
    }
}

@available(*, unavailable)
extension StopNotice: Sendable {}
