/// The bounds of the server, each with its reason; beside it stand those of trigger rows (``TriggerLimits``), of single
/// fields of commands (``FieldLimits``) and of HTTP messages (``HTTPLimits``).
///
/// - Confinement: any
package enum Limits {
    // MARK: Messages and commands

    /// Characters of a chat message: long enough for a letter, short enough that a history page stays under 1 MB.
    package static let messageCharactersMax = 4000
    /// Characters of the note that comes with a recommendation: it is shown beside the card, not read like a letter.
    package static let noteCharactersMax = 1000
    /// Bytes of one message from a client: a document of 64 KiB with its envelope, and room to spare.
    package static let messageBytesMax = 128 * 1024
    /// Depth of nested objects and arrays in anything a client sends: deeper is an attack, not data.
    package static let jsonDepthMax = 16
    /// Commands a client may have sent without their replies: enough to fill a slow line, bounded so that one
    /// session cannot fill what may wait for the writer.
    package static let commandsInFlightMax = 256
    /// Notifications that a loop notes at most while readers count again: as many as it keeps of recent commits. Beyond it
    /// those who wait are counted once more.
    package static let recountNotedMax = 20_000
    /// Recommendations in one chat that the other person has not read yet. One `read` makes them all seen in one
    /// transaction, each with the triggers it fires: this many take about a tenth of a second.
    package static let unseenRecommendationsMax = 1000
    /// Commands per second of one session, refilled continuously; a person types far below it, a bot is slowed.
    package static let commandsPerSecond = 1000
    /// Commands that may come at once before the rate applies: an outbox that is sent after a tunnel.
    package static let commandsBurst = 2000
    /// Commands that are refused with `rate-limited` before a session that does not wait is ended (4529): as many again
    /// as the burst, so that an outbox of twice the size gets refusals and is not cut.
    package static let commandsOverdraft = 2000
    /// Units of work that the commands of one user, over all connections, may cause in a second (``bytesPerWeight`` and
    /// the following): one takes about 50 µs of some thread, so that a user takes a quarter of one in the long run.
    package static let userWeightPerSecond = 5000
    /// Units that may come at once before the rate applies: a fleet of screens that shares an account comes back.
    package static let userWeightBurst = 20_000
    /// Bytes of a command that cost as much as a small one: to be parsed, kept and sent on.
    package static let bytesPerWeight = 4096
    /// Events and counts that go to the sessions of the user who wrote, for one unit: 5 µs of a loop each.
    package static let deliveriesPerWeight = 10
    /// Rows of a page, names and ids that cost as much as a small command: 3 to 8 µs each, read and written.
    package static let rowsPerWeight = 10
    /// Ids of notifications that cost as much as a small command: each is looked up, changed and sent, with about five
    /// statements on the writer.
    package static let idsPerWeight = 2
    /// What the watch of a collection costs: a page has up to 200 documents.
    package static let collectionWeight = 20
    /// Bytes that one user may write in an hour: some thousand of the largest documents. In the long run it is what one
    /// account can make the disk grow by, and a bot that sends 50 messages a second all day stays under it.
    package static let writeBytesAnHourDefault = 256 * 1024 * 1024
    /// Milliseconds of one command at the writer or a reader that are charged beyond its weight; a shorter time cannot
    /// be distinguished from a thread that had to wait for a processor.
    package static let longWorkMilliseconds: Int64 = 2
    /// What a millisecond of such work costs.
    package static let weightPerMillisecond = 20
    /// What the start of a session costs: a reader takes 50 to 100 µs for it.
    package static let startWeight = 2
    /// Follows that a session's start puts into the tables of its loop, and its end takes out, for one unit.
    package static let followsPerWeight = 15
    /// Time for which a connection is not read from after a command that was refused because its user causes too much work:
    /// a client that does not wait cannot send faster than this, and costs the server little.
    package static let restMilliseconds: Int64 = 200
    /// Hellos of one connection that may fail: a client tries an old token, then a new one; who guesses is ended (4401).
    package static let failedHellosMax = 8

    // MARK: Lists

    /// Entries of a page when the client does not say.
    package static let pageDefault = 50
    /// Entries of a page at most: about 1 MB of the largest messages.
    package static let pageMax = 200
    /// Users whose presence one session may watch.
    package static let presenceWatchMax = 200

    // MARK: Documents

    /// Bytes of one document's JSON.
    package static let documentBytesMax = 64 * 1024
    /// Levels of collection and id in a path.
    package static let documentPathLevelsMax = 8
    /// Bytes of a path: eight levels of ids of the longest form do not occur together.
    package static let documentPathBytesMax = 1024
    /// Writes in one atomic batch: what one transaction can do without holding up the chats (about 20 ms).
    package static let documentBatchMax = 500
    /// First halves of ids that have two parts: TMDB numbers films and series apart.
    package static let compoundIDPrefixes: Set<String> = ["movie", "tv"]

    /// Patterns in the table of access rules: an application has a dozen; compiled they are a few hundred KB.
    package static let accessRulesMax = 500
    /// Documents and collections that one session may watch: a page on the screen shows a handful.
    package static let watchesMax = 100
    /// Watches of a stream that was opened without a token.
    package static let openWatchesMax = 16
    /// Watches of a session that count as part of what any session costs; the others count as held bytes.
    package static let watchesFree = 10
    /// Bytes that a watch takes: its path, its places in the tables of the session and of the loop.
    package static let watchBytes = 800
    /// Documents in one answer to `watch`; what more there is comes page by page.
    package static let watchPageDocuments = 200
    /// Bytes of documents in one answer to `watch`, passed by one document at most: what a slow reader may have queued.
    package static let watchPageBytes = 256 * 1024
    /// Watches of one loop whose pages are read at once: 3 MB between a reader and the loop, and a reader is never idle.
    package static let watchReadsMax = 8

    // MARK: Resuming

    /// Missing events after which a client fetches its state again instead: the survey's figure, about 2 MB.
    package static let resumeEventsMax = 5000
    /// Bytes of an event's frame that count as one step more among the commits a loop remembers: with 20,000 steps the
    /// events take 10 MB at most, whatever is written: each is kept as JSON and in its frame.
    package static let recentStepBytes = 256
    /// Follows ended meanwhile after which a client fetches its state again instead: each is a source to be merged.
    package static let resumeEndedFollowsMax = 200
    /// Events read from the log at a time for one session.
    package static let resumePageEvents = 200
    /// Bytes of such a page, passed by one event at most. Two hundred events mostly take less; of large documents it is
    /// one, so that the pages of hundreds of sessions which read on at once take little memory.
    package static let resumePageBytes = 48 * 1024

    // MARK: Starts

    /// Sessions of one loop that read their beginning at once: a reader takes 50 to 100 µs for each, so that what
    /// established sessions ask of it waits a few milliseconds at most.
    package static let startsInWorkMax = 32
    /// Sessions of one loop that wait for that: what is read in the time one may wait, with room to spare.
    package static let startsWaitingMax = 10_000
    /// How long a session may wait to begin before `bye` sends it away: clients give a connect 10 s.
    package static let startWaitMilliseconds: Int64 = 5_000
    /// Starts that had to wait, beyond which the log tells of it.
    package static let startsWaitingLogged = 1_000
    /// The shortest time after which a client is to come back.
    package static let reconnectMilliseconds: Int64 = 1_000
    /// Over so long the clients of the greatest storm are spread.
    package static let reconnectSpreadMilliseconds: Int64 = 60_000
    /// The shortest time after which a client is to come back to a server that stops: nobody finds it in less.
    package static let reconnectAfterDrainMilliseconds: Int64 = 200

    // MARK: Connections

    /// Bytes queued for one reader before the server stops queueing and reads on from the log later.
    package static let queuedBytesMax = 256 * 1024
    /// Bytes queued for one client beyond which its commands are not read either: replies to writes that it does not take.
    package static let unreadRepliesBytesMax = 1024 * 1024
    /// Time a socket may take nothing at all before it is closed with 4509.
    package static let stalledMilliseconds: Int64 = 60_000
    /// Time from the first byte of a connection to a complete `hello`, else 4408.
    package static let helloMilliseconds: Int64 = 10_000
    /// Bytes of a TLS handshake that a client may send: a hello of today has 0.5 to 2 KB, and OpenSSL keeps up to 128.
    package static let handshakeBytesMax = 16 * 1024
    /// Time a TLS handshake, a request head or a body may take to arrive whole (slowloris). Looked at each second, so
    /// that it has ended within 10 s.
    package static let requestMilliseconds: Int64 = 9_000
    /// Time after which the keys of TLS tickets are turned; a ticket opens for three turns at most.
    package static let ticketKeysMilliseconds: Int64 = 6 * 3_600_000
    /// Time an idle keep-alive HTTP connection is kept.
    package static let keepAliveMilliseconds: Int64 = 60_000
    /// Silence after which the server pings, and announces how many events it sent.
    package static let heartbeatMilliseconds: Int64 = 25_000
    /// Time before the token expires at which the client gets `expiring`.
    package static let expiringMilliseconds: Int64 = 30_000
    /// Bytes of a request body: a batch of documents.
    package static let requestBodyBytesMax = 8 * 1024 * 1024
    /// Bytes of the body of any other request: a document of 64 KiB four times over, so that one that is a little too
    /// large gets the refusal of its own rules.
    package static let plainBodyBytesMax = 256 * 1024
    /// Sessions of one user: an account that a fleet of screens shares, and a fraction of what the server holds, so that
    /// no single one fills it.
    package static let connectionsPerUserDefault = 10_000
    /// Connections of one IPv4 address or IPv6 network of 64 bits that is no trusted proxy's: a company or a campus
    /// with one address, with three connections for each of some hundreds.
    package static let connectionsPerAddressDefault = 1000
    /// Descriptors kept free of connections: certificates, key sets and backups are opened while the server is full.
    package static let reservedDescriptors = 32
    /// Bytes held for all peers together: requests and messages that are not whole, commands without their replies,
    /// answers and events that nobody takes. Half of what hostile clients may make the process grow by (64 MiB), since
    /// arrays grow by doubling and the allocator keeps some of what was freed.
    package static let peerMemoryBytesDefault = 32 * 1024 * 1024
    /// Bytes that a connection may hold as long as anything is free at all: a head of any size that is taken, or the
    /// commands of a person.
    package static let smallHoldingBytes = 16 * 1024
    /// Bytes of one user, or of one network, up to which its small holdings may use the reserve.
    package static let smallShareBytes = 64 * 1024
    /// Bytes that a command takes beside its content while it waits for the writer or a reader: the order, the use case,
    /// its place in the queues, and what the allocator adds.
    package static let orderBytes = 768
    /// Bytes that a name or an id in the list of a command takes beside its text.
    package static let listedIDBytes = 64
    /// Bytes of one session taken in one turn: five hundred of the smallest commands, 3 ms of a loop's time, so that a
    /// flood of them does not keep others waiting.
    package static let sessionReadBytes = 16 * 1024
    /// Requests of one connection answered in a row: at 10 µs each, others wait a fraction of a millisecond.
    package static let requestsPerTurnMax = 16
    /// Bytes of a backup that are read, and then wait for the socket, at a time.
    package static let backupPieceBytes = 128 * 1024
    /// Bytes of one message of the echo endpoint, which conformance suites drive with 16 MiB.
    package static let echoMessageBytesMax = 16 * 1024 * 1024
    /// Time the server waits at a stop until replies and close frames are out.
    package static let drainMilliseconds: Int64 = 3_000
    /// Time that a stop waits for writes that were begun, as long as commits end: ten times what a slow disk takes.
    package static let stopMilliseconds: Int64 = 30_000
    /// Time without the end of a commit after which a stop waits no longer: the disk does not answer.
    package static let stopStalledMilliseconds: Int64 = 15_000

    // MARK: Memory given back

    /// Milliseconds between two looks at the size of the process: one short file of the kernel.
    package static let memoryLookMilliseconds: Int64 = 5_000
    /// Growth after which freed memory is given back when little happens; four times as much where much does.
    package static let trimmedGrowthBytes = 8 * 1024 * 1024
    /// Commands, requests and deliveries between two looks that count as little.
    package static let idleWorkMax = 2_000
    /// The least time between two times on a server where much happens.
    package static let trimPauseMilliseconds: Int64 = 10_000

    // MARK: Keys of foreign issuers

    /// Time for which an issuer's keys are taken as they are when it does not say.
    package static let keysFreshMilliseconds: Int64 = 3_600_000
    /// Time for which they are at least and at most, whatever it says: no burden to it, and turned keys within a day.
    package static let keysFreshBounds: ClosedRange<Int64> = 60_000...86_400_000
    /// Time between two looks at a key file: one `stat`.
    package static let keyFileMilliseconds: Int64 = 5_000
    /// Time between two fetches because of keys that are not known: tokens that anybody may send cannot make more.
    package static let keysWantedMilliseconds: Int64 = 10_000
    /// Time after a failed fetch, doubled each time up to the upper bound.
    package static let keysRetryBounds: ClosedRange<Int64> = 1_000...300_000
    /// Time for the connection to an issuer, and for its whole answer.
    package static let keysConnectMilliseconds = 5_000
    package static let keysAnswerMilliseconds = 10_000
    /// Time that a start waits for the keys before it serves without them.
    package static let keysStartMilliseconds = 2_000
    /// The wait for a client whose token cannot be verified yet.
    package static let keysClientWaitMilliseconds: Int64 = 2_000

    // MARK: Compression

    /// Bytes of a message below which it is sent as it is: at 200 bytes deflate takes off a fifth in 4 µs, at 300 a third.
    package static let compressedBytesMin = 256
    /// Bytes that all windows together may take which are kept for single connections; then no more are kept.
    package static let contextBytesMax = 64 * 1024 * 1024
    /// A kept window has 2^n bytes: 4 KiB hold about the last ten messages, for 50 KiB of memory a connection.
    package static let contextWindowBitsMax = 12
    /// Bytes of a compressed connection that are looked at together: they inflate to at most a thousand times as much.
    package static let compressedPieceBytes = 128
    /// What one byte of a compressed connection may inflate to in the long run; JSON does not reach 20.
    package static let inflatedBytesPerByte = 30
    /// What may inflate beyond that for one user, over all connections: eight messages of the largest size in a row, which
    /// take a loop some milliseconds.
    package static let inflatedBytesFree = 1024 * 1024
    /// As much comes back of it in a second.
    package static let inflatedBytesPerSecond = 256 * 1024
    /// What may inflate beyond that on a connection whose user is not known yet: some hellos.
    package static let inflatedBytesUnknown = 32 * 1024

    // MARK: Revocation

    /// Time for which a revocation is kept when nobody says when the token expires: the longest that `watchwise token`
    /// makes one for.
    package static let revocationMilliseconds: Int64 = 3650 * 86_400_000
    /// Revocations that are kept: every loop holds them all, at about 100 bytes each.
    package static let revocationsMax = 100_000
    /// Bytes of the reason that a kicked user gets: a close frame has 123.
    package static let kickReasonBytesMax = 120

    // MARK: The writer

    /// Commands in one transaction: at 512 a commit takes 6 to 10 ms here, beyond that latency grows and speed does not.
    package static let batchCommandsMax = 512
    /// Milliseconds of work after which a transaction takes nothing more and is committed. Commands that come meanwhile wait
    /// for it, and then for a batch of their own; 512 small commands take about as long.
    package static let batchMilliseconds: Int64 = 15
    /// The same where one of its commands was long work: who wants little waits for as few of those as may be.
    package static let longBatchMilliseconds: Int64 = 8
    /// Sessions of one loop from which on those who hear a stream are a crowd: what goes to fewer is little beside the
    /// write itself.
    package static let crowdSessionsMin = 8
    /// How long the known number of receivers of a stream stays valid.
    package static let crowdMilliseconds: Int64 = 10_000
    /// What an event costs its receiver's loop in addition to its bytes, in bytes.
    package static let deliveryBytes = 500
    /// Bytes that a loop writes to sockets in a microsecond, including what their readers then take of the machine.
    package static let deliveredBytesPerMicrosecond = 500
    /// Bytes that may wait for a socket while more than three quarters of what may be are held for peers.
    package static let pressedQueueBytesMax = 1024
    /// Time after which a loop ends those who hold most, where all that may be held is: a client that was refused asks
    /// again later than that, and looking through thousands of connections takes a small part of it.
    package static let reliefMilliseconds: Int64 = 20
    /// Bytes of further pages of the log that a loop writes in one turn, beyond which the next page waits for another.
    package static let pageBytesPerTurnMax = 1024 * 1024
    /// Milliseconds of a loop from which on the delivery of a commit is heavy: the loops have at most two such
    /// deliveries before them, and the writer waits until one is done.
    package static let heavyDeliveryMilliseconds: Int64 = 3
    package static let heavyDeliveriesMax = 2
    /// Bytes before a session above which what is not in the log is dropped for it where a crowd gets it.
    package static let crowdQueueBytesMax = 4096
    /// So much of what is not in the log a loop gives to crowds in one turn, which takes it some milliseconds; more is
    /// dropped, and comes again if it lasts.
    package static let crowdSignalsPerTurnMax = 4000
    /// Bytes of answers after which a transaction takes no further command: conflicts that show a document of 64 KiB each
    /// would be some hundreds in that time.
    package static let batchAnswerBytesMax = 2 * 1024 * 1024
    /// Milliseconds of the writer's time that may wait for it, of all users together, as far as it is known what their
    /// writes take: a stop waits for it, and has six times as long.
    package static let waitingWorkMilliseconds: Int64 = 5000
    /// Milliseconds of it that a user may wait for whatever the others want: some fifty of the writes that most are.
    package static let smallWorkMilliseconds: Int64 = 5
    /// Milliseconds for which a reader stays on one snapshot before it looks who else has come.
    package static let readBatchMilliseconds: Int64 = 20
    /// Milliseconds for which an entry of the log is kept by default, for devices that were away: a month of holidays.
    package static let logRetentionMilliseconds: Int64 = 30 * 86_400_000
    /// Milliseconds between two marks of the log's head, by which the age of its entries is known.
    package static let logMarkMilliseconds: ClosedRange<Int64> = 1000...3_600_000
    /// Rows of one kind that one step of trimming takes away: about 10 ms, a small part of what a chat waits anyway.
    package static let trimmedRowsMax = 1000
    /// Milliseconds that pass for each one that a step of trimming took, so that the writer is mostly there for others.
    package static let trimmingPauseFactor: Int64 = 4
    /// Days for which a write's key is remembered.
    package static let keyRetentionMilliseconds: Int64 = 7 * 86_400_000
    /// Newest keys that are remembered whatever the clock says (about 20 MB): one that jumps forward by years must not
    /// turn the repetition of a write into a second one.
    package static let keysKeptMin = 100_000

    // MARK: The disk and the clock

    /// Time between tries to write after a failure: half a second of refusals for a fault that was gone at once, and
    /// little work for a disk that stays broken.
    package static let probeMilliseconds: Int64 = 500
    /// Least time between two batches of what is due: the chats that came meanwhile are written in it, and ten thousand
    /// reminders of one minute still go within seconds.
    package static let dueBatchPauseMilliseconds: Int64 = 20
    /// Time after which a check of the database begins no further table: some hundred gigabytes.
    package static let checkMilliseconds: Int64 = 600_000
    /// Time after a check of the database until another: a disk that goes on failing is not read over and over.
    package static let checkPauseMilliseconds: Int64 = 60_000
    /// Time that a commit may take before the server calls itself not ready: a disk that is only slow takes less.
    package static let commitStalledMilliseconds: Int64 = 5_000
    /// Time for which a warning or an error is not written to the log again.
    package static let logRepeatMilliseconds: Int64 = 10_000
    /// Different warnings and errors whose repetitions are known: far more than a server has troubles.
    package static let logRepeatsMax = 64
    /// A step of the machine's clock that is believed at once: what time servers correct.
    package static let clockStepMilliseconds: Int64 = 600_000
    /// Time for which the old time goes on after a greater step: long enough for a time server to take a mistake back.
    package static let clockHeldMilliseconds: Int64 = 900_000
    /// Time between the newest write and a start after which schedules wait for as long: a server that was off for
    /// a month is rarer than a clock that is wrong, and loses nothing by a quarter of an hour.
    package static let clockGapMilliseconds: Int64 = 30 * 86_400_000

    // MARK: Triggers

    /// Steps of SQLite's virtual machine that one condition may take: about 5 ms.
    package static let conditionStepsMax = 200_000
    /// Characters of a rendered title; the rest is cut with an ellipsis.
    package static let titleCharactersMax = 200
    /// Characters of a rendered body; push providers take 4 KB in all.
    package static let bodyCharactersMax = 1000
}
