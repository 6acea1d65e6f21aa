import Synchronization

/// What the server counts, for `/metrics` and `/v1/stats`.
///
/// Relaxed atomics: a count is never read to decide anything but how much may wait for the writer.
///
/// - Confinement: any
final class Metrics: Sendable {
    let connections = Atomic<Int>(0)
    let sessions = Atomic<Int>(0)
    let commands = Atomic<Int>(0)
    let refusals = Atomic<Int>(0)
    let requests = Atomic<Int>(0)
    let deliveries = Atomic<Int>(0)
    let tlsFailures = Atomic<Int>(0)
    let slowSessions = Atomic<Int>(0)
    let watches = Atomic<Int>(0)
    let watchesRevoked = Atomic<Int>(0)
    let commits = Atomic<Int>(0)
    let commitFailures = Atomic<Int>(0)
    let writes = Atomic<Int>(0)
    /// Writes that wait for the writer, over all loops.
    let writesPending = Atomic<Int>(0)
    /// Deliveries of each broadcast to live sessions. Protected by its lock, taken once for each loop and broadcast.
    private let broadcastDeliveries = Mutex<[Int64: Int]>([:])

    /// Adds to a broadcast's deliveries.
    func delivered(_ count: Int, ofBroadcast id: Int64) {
        broadcastDeliveries.withLock { $0[id, default: 0] += count }
    }

    /// Deliveries of a broadcast since the server was started.
    func deliveries(ofBroadcast id: Int64) -> Int {
        broadcastDeliveries.withLock { $0[id] ?? 0 }
    }

    /// Name, kind, meaning and value of everything counted.
    var all: [(name: String, isCounter: Bool, help: String, value: Int)] {
        [
            ("connections", false, "Open TCP connections.", connections.load(ordering: .relaxed)),
            ("sessions", false, "Authenticated sessions.", sessions.load(ordering: .relaxed)),
            ("commands_total", true, "Commands received.", commands.load(ordering: .relaxed)),
            ("refusals_total", true, "Commands answered with an error.", refusals.load(ordering: .relaxed)),
            ("requests_total", true, "HTTP requests received.", requests.load(ordering: .relaxed)),
            ("deliveries_total", true, "Events written to live sessions.", deliveries.load(ordering: .relaxed)),
            (
                "slow_sessions_total", true, "Times a session fell behind and read on from the log.",
                slowSessions.load(ordering: .relaxed)
            ),
            (
                "tls_failures_total", true, "TLS connections that broke, most of them in the handshake.",
                tlsFailures.load(ordering: .relaxed)
            ),
            ("watches", false, "Watches of documents and collections.", watches.load(ordering: .relaxed)),
            (
                "watches_revoked_total", true, "Watches that ended because the right to read was lost.",
                watchesRevoked.load(ordering: .relaxed)
            ),
            ("commits_total", true, "Transactions committed.", commits.load(ordering: .relaxed)),
            (
                "commit_failures_total", true, "Transactions that could not be committed.",
                commitFailures.load(ordering: .relaxed)
            ),
            ("writes_total", true, "Writes committed.", writes.load(ordering: .relaxed)),
            ("writes_pending", false, "Writes waiting for the writer.", writesPending.load(ordering: .relaxed)),
        ]
    }
}
