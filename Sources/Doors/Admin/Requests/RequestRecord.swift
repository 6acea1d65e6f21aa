import EventLoop
package import Telemetry
import Wire

/// How long one request took and how it was answered, for the figures, and for the log at the level `debug`.
///
/// - Confinement: any
package struct RequestRecord: Sendable {
    /// By `BootClock`, in microseconds.
    private let cameAt: Int64

    /// The whole request has come, in a turn that began at this time.
    package init(_ metrics: Metrics, at time: Int64) {
        metrics.requests.add(1)
        cameAt = time
    }

    /// Its answer begins.
    ///
    /// - Parameter request: asked for only at the level `debug`.
    package func answered(
        _ status: Int, _ metrics: Metrics, _ log: ServerLog, to request: @autoclosure () -> HTTPCall?
    ) {
        metrics.responses.add(status)
        let took = BootClock.microseconds - cameAt
        metrics.durations.request.observe(took)
        guard log.tellsDebug, let request = request() else { return }
        log.debug(
            "answered a request",
            [
                "request": request.id, "method": request.head.method, "path": request.head.path, "status": "\(status)",
                "microseconds": "\(took)", "address": request.client,
            ])
    }
}
