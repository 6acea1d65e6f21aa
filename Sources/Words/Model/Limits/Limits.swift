/// The bounds of messages and commands, of connections, and of the writer, each with its reason. Other subjects have
/// their own: ``DocumentLimits``, ``RoomLimits``, ``SearchLimits``, ``TriggerLimits``, ``FieldLimits``, ``HTTPLimits``.
///
/// - Confinement: any
package enum Limits {
    // MARK: Messages and commands

    /// Characters of a chat message: long enough for a letter, short enough that a history page stays under 1 MB.
    package static let messageCharactersMax = 4000
    /// Characters of the note of a recommendation: it is shown beside the card, and is not a letter.
    package static let noteCharactersMax = 1000
    /// Different reactions to one message: more than a client shows below it.
    package static let reactionKindsMax = 20
    /// Milliseconds for which a message can be edited: its readers rely on it after a day.
    package static let editMilliseconds: Int64 = 86_400_000
    /// How often a message is edited at most. Each edit is an entry of the log, and its earlier text is kept for reports.
    package static let editsMax: Int64 = 100
    /// Milliseconds for which texts are kept that edits have replaced and deletions have taken, for reports alone.
    package static let pastMessageMilliseconds: Int64 = 7 * 86_400_000
    /// How long rows of the audit are kept unless configured otherwise.
    package static let auditMilliseconds: Int64 = 400 * 86_400_000
    /// Characters of the reason for which an administrator reads a chat.
    package static let auditReasonCharactersMax = 200
    /// Rows of the audit that a page looks at; a page that is filtered may end before it is full.
    package static let auditRowsLooked = 10_000
    /// Bytes of one message from a client: a document of 64 KiB with its envelope, and room to spare.
    package static let messageBytesMax = 128 * 1024
    /// Nesting of objects and arrays from clients: deeper is an attack, not data.
    package static let jsonDepthMax = 16
    /// Commands that a client may have sent without their replies: enough to fill a slow line, and so few that one
    /// session cannot fill the queue of the writer.
    package static let commandsInFlightMax = 256
    /// Notifications that a loop notes at most while readers count again: as many as it keeps of recent commits. If
    /// there are more, the waiting counts are repeated.
    package static let recountNotedMax = 20_000
    /// Unread recommendations in one chat. One `read` marks all of them as seen in one transaction, with the triggers
    /// that each fires: this number takes about a tenth of a second.
    package static let unseenRecommendationsMax = 1000
    /// Commands per second of one session, refilled continuously; people send far fewer, and a bot is slowed down.
    package static let commandsPerSecond = 1000
    /// Commands that may come at once before the rate applies: an outbox that is sent after a tunnel.
    package static let commandsBurst = 2000
    /// Commands refused with `rate-limited` before a session that does not wait is ended (4529): the same number as the
    /// burst, so that an outbox of twice the size gets refusals and keeps its connection.
    package static let commandsOverdraft = 2000
    /// Units of work per second that the commands of one user may cause, over all connections (``bytesPerWeight`` and
    /// the following). A unit takes about 50 µs of some thread, so in the long run a user takes a quarter of a thread.
    package static let userWeightPerSecond = 5000
    /// Units that may come at once before the rate applies: a group of screens with one account reconnects.
    package static let userWeightBurst = 20_000
    /// Bytes of a command that count as one unit, for parsing, storing and sending them.
    package static let bytesPerWeight = 4096
    /// Deliveries to the writer's own sessions that count as one unit, events and counts: 5 µs of a loop each.
    package static let deliveriesPerWeight = 10
    /// Rows of a page, names and ids that count as one unit: 3 to 8 µs each, read and written.
    package static let rowsPerWeight = 10
    /// Ids of notifications that count as one unit: each is looked up, changed and sent, with about five statements on
    /// the writer.
    package static let idsPerWeight = 2
    /// Units that a command has at most beside those of its bytes: of one that names as many people as a room may have.
    package static let commandWeightMax = 1 + RoomLimits.membersMax
    /// The same of a command that names nothing: a search with a whole page.
    package static let namelessWeightMax = SearchLimits.weight + pageMax / rowsPerWeight
    /// Units of the watch of a collection: a page has up to 200 documents.
    package static let collectionWeight = 20
    /// Bytes that one user may write in an hour: several thousand of the largest documents. In the long run this bounds
    /// the growth of the disk by one account; a bot that sends 50 messages a second all day stays below it.
    package static let writeBytesAnHourDefault = 256 * 1024 * 1024
    /// Milliseconds of one command at the writer or a reader after which its work is charged beyond its weight; a
    /// shorter time may also be a thread that waited for a processor.
    package static let longWorkMilliseconds: Int64 = 2
    /// Units of each millisecond of such work.
    package static let weightPerMillisecond = 20
    /// Units of the start of a session: a reader takes 50 to 100 µs for it.
    package static let startWeight = 2
    /// Follows that count as one unit at a session's start, which adds them to the tables of its loop, and at its end.
    package static let followsPerWeight = 15
    /// Time for which a connection is not read after a command was refused because its user causes too much work: a
    /// client that does not wait cannot send faster than this, and costs the server little.
    package static let restMilliseconds: Int64 = 200
    /// Failed hellos of one connection: a client tries an old token, then a new one; a client that guesses is ended
    /// (4401).
    package static let failedHellosMax = 8

    // MARK: Lists

    /// Entries of a page when the client gives no number.
    package static let pageDefault = 50
    /// The most entries of a page: about 1 MB of the largest messages.
    package static let pageMax = 200
    /// Users whose presence one session may observe.
    package static let presenceWatchMax = 200

    // MARK: Resuming

    /// Missed events after which a client fetches its state again instead: about 2 MB.
    package static let resumeEventsMax = 5000
    /// Bytes of an event's frame that count as one more step among a loop's recent commits: with 20,000 steps the
    /// events take at most 10 MB, since each is kept as JSON and in its frame.
    package static let recentStepBytes = 256
    /// Follows that ended meanwhile, after which a client fetches its state again instead: each is a source to merge.
    package static let resumeEndedFollowsMax = 200
    /// Events read from the log at a time for one session.
    package static let resumePageEvents = 200
    /// Bytes of such a page, exceeded by at most one event. Two hundred events usually take less. Of large documents a
    /// page has only one, so that hundreds of sessions that read at the same time take little memory.
    package static let resumePageBytes = 48 * 1024

    // MARK: Starts

    /// Sessions of one loop whose first page is being read: a reader takes 50 to 100 µs for each, so that requests of
    /// established sessions wait a few milliseconds at most.
    package static let startsInWorkMax = 32
    /// Sessions of one loop that wait for this: more than are read in the time that one may wait.
    package static let startsWaitingMax = 10_000
    /// How long a session may wait to begin before `bye` sends it away: clients allow a connect 10 s.
    package static let startWaitMilliseconds: Int64 = 5_000
    /// Waiting starts after which the log reports them.
    package static let startsWaitingLogged = 1_000
    /// The shortest time after which a client may come back.
    package static let reconnectMilliseconds: Int64 = 1_000
    /// The time over which the clients of the largest storm are spread.
    package static let reconnectSpreadMilliseconds: Int64 = 60_000
    /// The shortest time after which a client may come back to a server that stops: the server is not back earlier.
    package static let reconnectAfterDrainMilliseconds: Int64 = 200

    // MARK: Connections

    /// Bytes queued for one reader after which the server stops queueing, and continues later from the log.
    package static let queuedBytesMax = 256 * 1024
    /// Bytes queued for one client after which its commands are not read either: replies that it does not take.
    package static let unreadRepliesBytesMax = 1024 * 1024
    /// Time in which a socket takes no bytes before it is closed with 4509.
    package static let stalledMilliseconds: Int64 = 60_000
    /// Time from the first byte of a connection to a complete `hello`, else 4408.
    package static let helloMilliseconds: Int64 = 10_000
    /// Bytes of a TLS handshake that a client may send: a present hello has 0.5 to 2 KB, and OpenSSL would keep up to
    /// 128.
    package static let handshakeBytesMax = 16 * 1024
    /// Time in which a TLS handshake, a request head or a body must arrive completely (against slowloris). Checked each
    /// second, so that it ends within 10 s.
    package static let requestMilliseconds: Int64 = 9_000
    /// Time after which the keys of TLS tickets are replaced; a ticket is valid for at most three such times.
    package static let ticketKeysMilliseconds: Int64 = 6 * 3_600_000
    /// Time for which an idle keep-alive HTTP connection is kept: longer than the 60 s after which nginx and the load balancers
    /// of clouds use one for the last time. Where both ends wait equally long, a request meets the end of its connection, and
    /// the proxy answers it with 502.
    package static let keepAliveMilliseconds: Int64 = 75_000
    /// Silence after which the server sends a ping and the number of events it has sent.
    package static let heartbeatMilliseconds: Int64 = 25_000
    /// Time before the token expires at which the client gets `expiring`.
    package static let expiringMilliseconds: Int64 = 30_000
    /// Bytes of a request body: a batch of documents.
    package static let requestBodyBytesMax = 8 * 1024 * 1024
    /// Bytes of the body of any other request: four documents of 64 KiB, so that one that is slightly too large gets
    /// the refusal of its own rules.
    package static let plainBodyBytesMax = 256 * 1024
    /// Sessions of one user: enough for a group of screens with one account, and so few that a single user does not
    /// fill the server.
    package static let connectionsPerUserDefault = 10_000
    /// Connections of one IPv4 address or IPv6 network of 64 bits, other than a trusted proxy: a company or a campus
    /// with one address and some hundred people with three connections each.
    package static let connectionsPerAddressDefault = 1000
    /// File descriptors that connections may not use: certificates, key sets and backups must be opened while the
    /// server is full.
    package static let reservedDescriptors = 32
    /// Bytes held for all peers together: incomplete requests and messages, commands without their replies, answers and
    /// events that are not sent. Hostile clients can make the process grow by twice this (64 MiB), since arrays grow by
    /// doubling and the allocator keeps some freed memory.
    package static let peerMemoryBytesDefault = 32 * 1024 * 1024
    /// Bytes that a connection may hold as long as any memory is free: a head of the largest size, or the commands of a
    /// person.
    package static let smallHoldingBytes = 16 * 1024
    /// Bytes of one user, or of one network, up to which its small holdings may use the reserve.
    package static let smallShareBytes = 64 * 1024
    /// Bytes that a waiting command takes besides its content: the order, the use case, its places in the queues, and
    /// the allocator's overhead.
    package static let orderBytes = 768
    /// Bytes that a name or an id in the list of a command takes beside its text.
    package static let listedIDBytes = 64
    /// Bytes of one session read in one turn: five hundred of the smallest commands, 3 ms of a loop's time, so that a
    /// flood of them does not make other sessions wait.
    package static let sessionReadBytes = 16 * 1024
    /// Requests of one connection answered in a row: at 10 µs each, others wait a fraction of a millisecond.
    package static let requestsPerTurnMax = 16
    /// Bytes of a backup that are read at a time and then wait for the socket.
    package static let backupPieceBytes = 128 * 1024
    /// Bytes of one message of the echo endpoint; conformance suites send 16 MiB.
    package static let echoMessageBytesMax = 16 * 1024 * 1024
    /// Time that a stopping server waits until replies and close frames are sent.
    package static let drainMilliseconds: Int64 = 3_000
    /// Time that a stop waits for started writes, as long as commits end: ten times as long as a slow disk needs.
    package static let stopMilliseconds: Int64 = 30_000
    /// Time without the end of a commit after which a stop waits no longer, because the disk does not answer.
    package static let stopStalledMilliseconds: Int64 = 15_000

    // MARK: Revocation

    /// Time for which a revocation is kept when the expiry of the token is not known: the longest validity that
    /// `watchwise token` gives.
    package static let revocationMilliseconds: Int64 = 3650 * 86_400_000
    /// Revocations that are kept: every loop holds all of them, at about 100 bytes each.
    package static let revocationsMax = 100_000
    /// Bytes of the reason that a kicked user gets: a close frame has 123.
    package static let kickReasonBytesMax = 120

    // MARK: The writer

    /// Commands in one transaction: with 512, a commit takes 6 to 10 ms here; with more, latency grows and speed does
    /// not.
    package static let batchCommandsMax = 512
    /// Milliseconds of work after which a transaction takes no more commands and is committed. Later commands wait for
    /// it, and then for their own batch; 512 small commands take about this long.
    package static let batchMilliseconds: Int64 = 15
    /// The same when one of its commands was long work: short commands should wait for as few long ones as possible.
    package static let longBatchMilliseconds: Int64 = 8
    /// From this number of a loop's sessions on, the receivers of a stream count as a crowd: fewer receivers cost
    /// little compared with the write itself.
    package static let crowdSessionsMin = 8
    /// How long a noted number of receivers stays valid.
    package static let crowdMilliseconds: Int64 = 10_000
    /// The cost of an event for its receiver's loop in addition to its bytes, in bytes.
    package static let deliveryBytes = 500
    /// Bytes that a loop writes to sockets in a microsecond, including the work of their readers on the same machine.
    package static let deliveredBytesPerMicrosecond = 500
    /// Bytes that may wait for one socket while the memory for peers is more than three quarters full.
    package static let pressedQueueBytesMax = 1024
    /// Time after which a loop ends the largest holders when the memory for peers is full: a refused client asks again
    /// later than that, and searching thousands of connections takes a small part of it.
    package static let reliefMilliseconds: Int64 = 20
    /// Bytes of further pages of the log that a loop writes in one turn; further pages wait for the next turn.
    package static let pageBytesPerTurnMax = 1024 * 1024
    /// Milliseconds of a loop after which the delivery of a commit counts as heavy: the loops have at most two such
    /// deliveries before them, and the writer waits until one is done.
    package static let heavyDeliveryMilliseconds: Int64 = 3
    package static let heavyDeliveriesMax = 2
    /// Bytes queued for a session above which it gets no signals to crowds; signals are not in the log.
    package static let crowdQueueBytesMax = 4096
    /// Signals to crowds that a loop delivers in one turn, which takes a few milliseconds; further ones are dropped,
    /// and repeated if they last.
    package static let crowdSignalsPerTurnMax = 4000
    /// Bytes of answers after which a transaction takes no more commands: conflicts that each show a document of 64 KiB
    /// could be hundreds.
    package static let batchAnswerBytesMax = 2 * 1024 * 1024
    /// Milliseconds of the writer's time that may wait, of all users together, as far as the time of their writes is
    /// known: a stop waits for them, and has six times as long.
    package static let waitingWorkMilliseconds: Int64 = 5000
    /// Milliseconds of the writer's time that a user may wait for in any case: about fifty usual writes.
    package static let smallWorkMilliseconds: Int64 = 5
    /// Milliseconds for which a reader uses one snapshot before it looks for new orders.
    package static let readBatchMilliseconds: Int64 = 20
    /// Milliseconds for which an entry of the log is kept by default, for devices that were away: a month's holidays.
    package static let logRetentionMilliseconds: Int64 = 30 * 86_400_000
    /// Milliseconds between two marks of the log's head, from which the age of its entries is known.
    package static let logMarkMilliseconds: ClosedRange<Int64> = 1000...3_600_000
    /// Rows of one kind that one step of trimming deletes: about 10 ms, a small part of the usual delay of a chat.
    package static let trimmedRowsMax = 1000
    /// Milliseconds of pause for each millisecond of a trimming step, so that the writer mostly serves others.
    package static let trimmingPauseFactor: Int64 = 4
    /// How long a write's key is remembered.
    package static let keyRetentionMilliseconds: Int64 = 7 * 86_400_000
    /// The newest keys that are remembered whatever the clock says (about 20 MB): if the clock jumps ahead by years,
    /// the repetition of a write must not become a second write.
    package static let keysKeptMin = 100_000

    // MARK: The disk and the clock

    /// Time between tries to write after a failure: half a second of refusals for a short fault, and little work for a
    /// disk that stays broken.
    package static let probeMilliseconds: Int64 = 500
    /// The least time between two batches of due notifications: waiting chat messages are written between them, and ten
    /// thousand reminders of one minute still go out within seconds.
    package static let dueBatchPauseMilliseconds: Int64 = 20
    /// Time after which a check of the database begins no further table: some hundred gigabytes.
    package static let checkMilliseconds: Int64 = 600_000
    /// Time after a check of the database until the next: a disk that keeps failing is not read again and again.
    package static let checkPauseMilliseconds: Int64 = 60_000
    /// Time that a commit may take before the server reports that it is not ready: a disk that is only slow needs less.
    package static let commitStalledMilliseconds: Int64 = 5_000
    /// Time for which a repeated warning or error is not written to the log.
    package static let logRepeatMilliseconds: Int64 = 10_000
    /// Different warnings and errors whose repetitions are recognized: far more than a server has at a time.
    package static let logRepeatsMax = 64
    /// A step of the machine's clock that is followed at once: the corrections of time servers.
    package static let clockStepMilliseconds: Int64 = 600_000
    /// Time for which the old time goes on after a larger step: long enough for a time server to correct a mistake.
    package static let clockHeldMilliseconds: Int64 = 900_000
    /// Time between the newest write and a start after which schedules wait for a quarter of an hour: a server that was
    /// off for a month is rarer than a wrong clock, and loses nothing by the wait.
    package static let clockGapMilliseconds: Int64 = 30 * 86_400_000

    // MARK: Triggers

    /// Steps of SQLite's virtual machine that one condition may take: about 5 ms.
    package static let conditionStepsMax = 200_000
    /// Characters of a rendered title; the rest is cut with an ellipsis.
    package static let titleCharactersMax = 200
    /// Characters of a rendered body; push providers take 4 KB in all.
    package static let bodyCharactersMax = 1000
}
