package import EventLoop
package import Execution
package import Quotas
package import Synchronization

/// The counters of the server, for `/metrics` and `/v1/stats`.
///
/// They are relaxed atomics: the code reads none of them to decide something, except how many writes may wait for the
/// writer.
///
/// - Confinement: any
package final class Metrics: Sendable {
    package let connections = Metric(gauge: "connections", "Open TCP connections.")
    package let sessions = Metric(gauge: "sessions", "Authenticated sessions.")
    package let commands = Metric(counter: "commands_total", "Commands received.")
    package let refusals = LabelledMetric(
        .counter, "refusals_total", labels: ["code"], "Commands answered with an error, by its code.")
    package let responses = StatusCounts()
    package let durations = DurationMetrics()
    package let machine = MachineMetrics()
    package let requests = Metric(counter: "requests_total", "HTTP requests received.")
    package let deliveries = Metric(counter: "deliveries_total", "Events written to live sessions.")
    package let tlsFailures = Metric(
        counter: "tls_failures_total", "TLS connections that failed, most of them in the handshake.")
    package let keyFetches = Metric(
        counter: "key_fetches_total", "Times that the keys of issuers were fetched or read from a file.")
    package let keyFetchFailures = Metric(
        counter: "key_fetch_failures_total",
        "Times that the keys of issuers could not be fetched; the old keys stay in use.")
    /// Foreign issuers without usable keys, whose tokens cannot be checked.
    package let issuersWithoutKeys = Metric(
        gauge: "issuers_without_keys", "Issuers whose tokens cannot be verified because their keys are missing.")
    package let tokensUnjudged = Metric(
        counter: "tokens_unjudged_total", "Tokens refused as unavailable because their key was not known yet.")
    package let tokensRefused = LabelledMetric(
        .counter, "tokens_refused_total", labels: ["reason"],
        "Tokens that were not accepted, by reason. The log has the issuer, the audience and the key of some.")
    package let tlsHandshakes = Metric(counter: "tls_handshakes_total", "Completed TLS handshakes.")
    package let tlsResumptions = Metric(
        counter: "tls_resumptions_total", "TLS handshakes that resumed an earlier session.")
    package let slowSessions = Metric(
        counter: "slow_sessions_total", "Times that a slow session had to catch up from the log.")
    /// Signals dropped on the way to users with many sessions; signals are not in the log.
    package let signalsDropped = Metric(
        counter: "signals_dropped_total",
        "Typing and presence events dropped for users with many sessions because delivering them took too long.")
    package let countsRead = Metric(
        counter: "counts_read_total",
        "Times that the unread counts of a user were computed again after a shared notification was removed.")
    package let watches = Metric(gauge: "watches", "Open watches of documents and collections.")
    package let watchesRevoked = Metric(
        counter: "watches_revoked_total", "Watches that ended because the right to read was lost.")
    /// Sessions that wait for their turn to begin, on all loops.
    package let startsWaiting = Metric(gauge: "starts_waiting", "Sessions waiting for their turn to begin.")
    package let revocations = Metric(gauge: "revocations", "Revocations in force.")
    package let revokedSessions = Metric(
        counter: "revoked_sessions_total", "Sessions ended because their token was revoked.")
    package let kickedSessions = Metric(
        counter: "kicked_sessions_total", "Sessions ended because their user was kicked.")
    package let silenced = SilenceCounts()
    package let digests = Metric(counter: "digests_total", "Digests written.")
    package let snoozes = Metric(counter: "snoozes_total", "Notifications that readers snoozed.")
    package let archivedNotifications = Metric(
        counter: "archived_notifications_total", "Notifications that readers archived.")
    package let broadcasts = Metric(
        counter: "broadcasts_total",
        "Broadcasts sent; one that goes by the recipients' clocks, or to many people, counts for each time at which some get it."
    )
    package let commits = Metric(counter: "commits_total", "Transactions committed.")
    package let commitFailures = Metric(counter: "commit_failures_total", "Transactions that could not be committed.")
    package let writes = Metric(counter: "writes_total", "Writes committed.")
    /// The account of the memory that all loops hold for peers; set when the server is made.
    package let peerMemory: PeerMemory
    private let logOutput: LineOutput
    /// Peers turned away, in the order of the reasons.
    private let peersRefused = InlineArray<9, Atomic<Int>> { _ in Atomic(0) }
    /// Writes refused at once, since the last commit had failed.
    package let writesRefused = Metric(
        counter: "writes_refused_total", "Writes refused without an attempt because the last commit had failed.")
    /// 1 while the database cannot be written.
    package let storageFailing = Metric(gauge: "storage_failing", "1 while the database cannot be written.")
    /// 1 while the machine's clock is not believed.
    package let clockHeld = Metric(
        gauge: "clock_held", "1 while the machine's clock has jumped and the server does not use it.")
    package let searchLag = Metric(
        gauge: "search_lag_entries", "Entries of the log that are not indexed for the search yet.")
    package let searchRemoved = Metric(
        gauge: "search_removed_entries",
        "Texts that were taken out of the index, and whose words may still lie in pages of its file.")
    /// The sweeps of rows that are kept for a time.
    package let retention = RetentionMetrics()
    /// Whether an erasure waits for a merge of the index of messages that begins after its deletions.
    package let awaitsSearchMerge = Atomic(false)
    package let erasuresRunning = Metric(gauge: "erasures_running", "Erasures of people that are at work.")
    package let erasurePages = Metric(
        counter: "erasure_pages_total", "Pages of the database's file in which bytes of removed rows were cleared.")
    package let erasureSlices = Metric(counter: "erasure_slices_total", "Slices of erasures that were committed.")
    package let backups = BackupMetrics()
    /// 0 on a server without TLS.
    package let certificateExpires = Metric(
        gauge: "tls_certificate_expiry_timestamp_seconds", "When the server's TLS certificate expires.")
    package let exports = Metric(counter: "exports_total", "Exports of a user's data that were begun.")
    /// Counts for each trigger.
    package let triggers = TriggerTally()
    package let feedRequests = Metric(counter: "feed_requests_total", "Requests sent to the sources of feeds.")
    package let feedUnchanged = Metric(
        counter: "feed_unchanged_total", "Requests to the sources of feeds whose answer had not changed.")
    package let feedDocuments = Metric(counter: "feed_documents_total", "Documents that feeds wrote.")
    package let feedFailures = Metric(
        counter: "feed_failures_total", "Answers of feed sources that could not be fetched, read or stored.")
    package let feedsFailing = Metric(gauge: "feeds_failing", "Feeds with at least one failing source.")
    package let webhooks = WebhookMetrics()
    /// Requests of administrators that are in the audit, by their names there.
    package let adminActions = LabelledMetric(
        .counter, "admin_actions_total", labels: ["action"], "Requests of administrators that change or show something."
    )
    package let push = PushMetrics()
    /// Shown on members of a cluster only.
    package let journal = JournalMetrics()
    /// Length and beginning of the log at the last check, once a second, and the number of trimmed entries.
    package let logEntries = Metric(gauge: "log_entries", "Entries in the log.")
    package let logRetainedFrom = Metric(gauge: "log_retained_from", "Oldest position from which a device can resume.")
    package let logTrimmed = Metric(
        counter: "log_trimmed_total", "Entries removed from the log because they were older than log-retention.")
    /// Writes that wait for the writer, from all loops.
    package let writesPending = Metric(gauge: "writes_pending", "Writes waiting for the writer.")
    /// Writes that a stopping server did not wait for.
    package let writesUnanswered = Atomic<Int>(0)
    /// Commits that have ended, successfully or not.
    package var commitsEnded: Int { commits.now + commitFailures.now }
    /// Goodbyes by their close codes. Protected by its lock, taken once for each connection that the server ends.
    private let goodbyes = Mutex<[UInt16: Int]>([:])
    /// Deliveries of each broadcast to live sessions. Protected by its lock, taken once for each loop and broadcast.
    private let broadcastDeliveries = Mutex<[Int64: Int]>([:])

    /// - Parameter logOutput: Counts the lost lines of the log.
    package init(peerMemory: PeerMemory, logOutput: LineOutput = .standardError) {
        self.peerMemory = peerMemory
        self.logOutput = logOutput
    }

    /// Counts a peer that was turned away.
    package func refused(_ reason: PeerRefusal) { peersRefused[reason.rawValue].add(1, ordering: .relaxed) }

    /// Peers turned away for a reason since the server was started.
    package func count(of reason: PeerRefusal) -> Int { peersRefused[reason.rawValue].now }

    /// Counts a session that the server ended.
    package func ended(_ code: UInt16) {
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

    /// The numbers with labels, and the histograms, that every server shows.
    package var labelled: [MetricFamily] {
        [refusals, tokensRefused, adminActions].map(\.family) + [responses.family] + durations.families
            + machine.families
    }

    /// The rows of those that not every server has: of the newest backup, and of TLS.
    package var some: [Metric.Row] {
        backups.newest + (certificateExpires.now > 0 ? [certificateExpires.row] : [])
    }

    /// The numbers of `/v1/stats`.
    package var counted: [Metric.Row] {
        all + [("refusals_total", true, "Commands answered with an error.", refusals.total)]
    }

    /// The rows of all others, in the order in which they are shown.
    package var all: [Metric.Row] {
        [
            connections.row, sessions.row, startsWaiting.row,
            (
                "triggers_broken", false, "Triggers disabled because they do not compile or exceeded their budget.",
                triggers.broken.count
            ),
            commands.row, requests.row, deliveries.row, slowSessions.row, signalsDropped.row,
            countsRead.row, tlsHandshakes.row, tlsResumptions.row, tlsFailures.row, watches.row, watchesRevoked.row,
            keyFetches.row, keyFetchFailures.row, issuersWithoutKeys.row, tokensUnjudged.row, revocations.row,
            revokedSessions.row, kickedSessions.row, digests.row, snoozes.row,
            archivedNotifications.row, broadcasts.row, commits.row, commitFailures.row,
            writes.row, searchLag.row, searchRemoved.row, erasuresRunning.row, erasureSlices.row, erasurePages.row,
            backups.completed.row, backups.failed.row,
            exports.row, feedRequests.row, feedUnchanged.row, feedDocuments.row,
            feedFailures.row,
            feedsFailing.row, logEntries.row, logRetainedFrom.row, logTrimmed.row, writesRefused.row,
            storageFailing.row, clockHeld.row, writesPending.row,
            (
                "log_lines_lost_total", true,
                "Lines of the server's log that standard error did not take: a full disk, a full pipe, no reader.",
                logOutput.linesLost
            ),
            ("held_bytes", false, "Memory held for all clients together, in bytes.", peerMemory.heldBytes),
            (
                "waiting_bytes", false, "Memory of commands that wait for the writer or a reader, in bytes.",
                peerMemory.waitingBytes
            ),
            (
                "waiting_work_microseconds", false, "Estimated time that the writer needs for the waiting writes.",
                peerMemory.waitingWork
            ),
        ]
            + webhooks.all + [push.pending.row]
            + PeerRefusal.allCases.map { ("refused_\($0.name)_total", true, $0.help, count(of: $0)) }
    }
}

extension Atomic where Value == Int {
    /// The value of a counter.
    package var now: Int { load(ordering: .relaxed) }
}
