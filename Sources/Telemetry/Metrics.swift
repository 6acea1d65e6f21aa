package import Execution
package import Peers
package import Synchronization

/// The counters of the server, for `/metrics` and `/v1/stats`.
///
/// They are relaxed atomics: the code reads none of them to decide something, except how many writes may wait for the
/// writer.
///
/// - Confinement: any
package final class Metrics: Sendable {
    package let connections = Atomic<Int>(0)
    package let sessions = Atomic<Int>(0)
    package let commands = Atomic<Int>(0)
    package let refusals = Atomic<Int>(0)
    package let requests = Atomic<Int>(0)
    package let deliveries = Atomic<Int>(0)
    package let tlsFailures = Atomic<Int>(0)
    package let keyFetches = Atomic<Int>(0)
    package let keyFetchFailures = Atomic<Int>(0)
    /// Foreign issuers without usable keys, whose tokens cannot be checked.
    package let issuersWithoutKeys = Atomic<Int>(0)
    package let tokensUnjudged = Atomic<Int>(0)
    package let tlsHandshakes = Atomic<Int>(0)
    package let tlsResumptions = Atomic<Int>(0)
    package let slowSessions = Atomic<Int>(0)
    /// Signals dropped on the way to users with many sessions; signals are not in the log.
    package let signalsDropped = Atomic<Int>(0)
    package let countsRead = Atomic<Int>(0)
    package let watches = Atomic<Int>(0)
    package let watchesRevoked = Atomic<Int>(0)
    /// Sessions that wait for their turn to begin, on all loops.
    package let startsWaiting = Atomic<Int>(0)
    package let revocations = Atomic<Int>(0)
    package let revokedSessions = Atomic<Int>(0)
    package let kickedSessions = Atomic<Int>(0)
    package let silenced = SilenceCounts()
    package let digests = Atomic<Int>(0)
    package let snoozes = Atomic<Int>(0)
    package let commits = Atomic<Int>(0)
    package let commitFailures = Atomic<Int>(0)
    package let writes = Atomic<Int>(0)
    /// The account of the memory that all loops hold for peers; set when the server is made.
    package let peerMemory: PeerMemory
    /// Peers turned away, in the order of the reasons.
    private let peersRefused = InlineArray<9, Atomic<Int>> { _ in Atomic(0) }
    /// Writes refused at once, since the last commit had failed.
    package let writesRefused = Atomic<Int>(0)
    /// 1 while the database cannot be written.
    package let storageFailing = Atomic<Int>(0)
    /// 1 while the machine's clock is not believed.
    package let clockHeld = Atomic<Int>(0)
    package let backups = Atomic<Int>(0)
    /// Counts for each trigger.
    package let triggers = TriggerTally()
    package let feedRequests = Atomic<Int>(0)
    package let feedUnchanged = Atomic<Int>(0)
    package let feedDocuments = Atomic<Int>(0)
    package let feedFailures = Atomic<Int>(0)
    package let feedsFailing = Atomic<Int>(0)
    package let webhooks = WebhookMetrics()
    /// Length and beginning of the log at the last check, once a second, and the number of trimmed entries.
    package let logEntries = Atomic<Int>(0)
    package let logRetainedFrom = Atomic<Int>(0)
    package let logTrimmed = Atomic<Int>(0)
    /// Writes that wait for the writer, from all loops.
    package let writesPending = Atomic<Int>(0)
    /// Writes that a stopping server did not wait for.
    package let writesUnanswered = Atomic<Int>(0)
    /// Commits that have ended, successfully or not.
    package var commitsEnded: Int { commits.now + commitFailures.now }
    /// Goodbyes by their close codes. Protected by its lock, taken once for each connection that the server ends.
    private let goodbyes = Mutex<[UInt16: Int]>([:])
    /// Deliveries of each broadcast to live sessions. Protected by its lock, taken once for each loop and broadcast.
    private let broadcastDeliveries = Mutex<[Int64: Int]>([:])

    package init(peerMemory: PeerMemory) { self.peerMemory = peerMemory }

    /// Counts a peer that was turned away.
    package func refused(_ reason: PeerRefusal) { peersRefused[reason.rawValue].add(1, ordering: .relaxed) }

    /// Peers turned away for a reason since the server was started.
    package func count(of reason: PeerRefusal) -> Int { peersRefused[reason.rawValue].now }

    /// Counts a `bye` to a client.
    package func saidBye(_ code: UInt16) {
        goodbyes.withLock { $0[code, default: 0] += 1 }
    }

    /// The goodbyes so far, in the order of their codes.
    package var byes: [(code: UInt16, count: Int)] {
        goodbyes.withLock { $0.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }
    }

    /// Adds to a broadcast's deliveries.
    package func delivered(_ count: Int, ofBroadcast id: Int64) {
        broadcastDeliveries.withLock { $0[id, default: 0] += count }
    }

    /// Deliveries of a broadcast since the server was started.
    package func deliveries(ofBroadcast id: Int64) -> Int {
        broadcastDeliveries.withLock { $0[id] ?? 0 }
    }

    /// Name, kind, meaning and value of every counter.
    package var all: [(name: String, isCounter: Bool, help: String, value: Int)] {
        [
            ("connections", false, "Open TCP connections.", connections.now),
            ("sessions", false, "Authenticated sessions.", sessions.now),
            ("starts_waiting", false, "Sessions waiting for their turn to begin.", startsWaiting.now),
            (
                "triggers_broken", false, "Triggers disabled because they do not compile or exceeded their budget.",
                triggers.broken.count
            ),
            ("commands_total", true, "Commands received.", commands.now),
            ("refusals_total", true, "Commands answered with an error.", refusals.now),
            ("requests_total", true, "HTTP requests received.", requests.now),
            ("deliveries_total", true, "Events written to live sessions.", deliveries.now),
            ("slow_sessions_total", true, "Times that a slow session had to catch up from the log.", slowSessions.now),
            (
                "signals_dropped_total", true,
                "Typing and presence events dropped for users with many sessions because delivering them took too long.",
                signalsDropped.now
            ),
            (
                "counts_read_total", true,
                "Times that the unread counts of a user were computed again after a shared notification was removed.",
                countsRead.now
            ),
            ("tls_handshakes_total", true, "Completed TLS handshakes.", tlsHandshakes.now),
            ("tls_resumptions_total", true, "TLS handshakes that resumed an earlier session.", tlsResumptions.now),
            (
                "tls_failures_total", true, "TLS connections that failed, most of them in the handshake.",
                tlsFailures.now
            ),
            ("watches", false, "Open watches of documents and collections.", watches.now),
            (
                "watches_revoked_total", true, "Watches that ended because the right to read was lost.",
                watchesRevoked.now
            ),
            (
                "key_fetches_total", true, "Times that the keys of issuers were fetched or read from a file.",
                keyFetches.now
            ),
            (
                "key_fetch_failures_total", true,
                "Times that the keys of issuers could not be fetched; the old keys stay in use.",
                keyFetchFailures.now
            ),
            (
                "issuers_without_keys", false,
                "Issuers whose tokens cannot be verified because their keys are missing.",
                issuersWithoutKeys.now
            ),
            (
                "tokens_unjudged_total", true, "Tokens refused as unavailable because their key was not known yet.",
                tokensUnjudged.now
            ),
            ("revocations", false, "Revocations in force.", revocations.now),
            ("revoked_sessions_total", true, "Sessions ended because their token was revoked.", revokedSessions.now),
            ("kicked_sessions_total", true, "Sessions ended because their user was kicked.", kickedSessions.now),
            ("digests_total", true, "Digests written.", digests.now),
            ("snoozes_total", true, "Notifications that readers snoozed.", snoozes.now),
            ("commits_total", true, "Transactions committed.", commits.now),
            ("commit_failures_total", true, "Transactions that could not be committed.", commitFailures.now),
            ("writes_total", true, "Writes committed.", writes.now),
            ("backups_total", true, "Completed backups of the database.", backups.now),
            ("feed_requests_total", true, "Requests sent to the sources of feeds.", feedRequests.now),
            (
                "feed_unchanged_total", true, "Requests to the sources of feeds whose answer had not changed.",
                feedUnchanged.now
            ),
            ("feed_documents_total", true, "Documents that feeds wrote.", feedDocuments.now),
            (
                "feed_failures_total", true, "Answers of feed sources that could not be fetched, read or stored.",
                feedFailures.now
            ),
            ("feeds_failing", false, "Feeds with at least one failing source.", feedsFailing.now),
            ("log_entries", false, "Entries in the log.", logEntries.now),
            ("log_retained_from", false, "Oldest position from which a device can resume.", logRetainedFrom.now),
            (
                "log_trimmed_total", true, "Entries removed from the log because they were older than log-retention.",
                logTrimmed.now
            ),
            (
                "writes_refused_total", true, "Writes refused without an attempt because the last commit had failed.",
                writesRefused.now
            ),
            ("storage_failing", false, "1 while the database cannot be written.", storageFailing.now),
            (
                "clock_held", false, "1 while the machine's clock has jumped and the server does not use it.",
                clockHeld.now
            ),
            ("writes_pending", false, "Writes waiting for the writer.", writesPending.now),
            ("held_bytes", false, "Memory held for all clients together, in bytes.", peerMemory.heldBytes),
            (
                "waiting_bytes", false, "Memory of commands that wait for the writer or a reader, in bytes.",
                peerMemory.waitingBytes
            ),
            (
                "waiting_work_microseconds", false,
                "Estimated time that the writer needs for the waiting writes.",
                peerMemory.waitingWork
            ),
        ]
            + webhooks.all
            + PeerRefusal.allCases.map { ("refused_\($0.name)_total", true, $0.help, count(of: $0)) }
    }
}

extension Atomic where Value == Int {
    /// The value of a counter.
    package var now: Int { load(ordering: .relaxed) }
}
