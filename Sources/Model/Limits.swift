/// The bounds of the server, each with its reason; those of trigger rows and of single fields of commands stand with
/// their rooms, in `TriggerLimits` and `FieldLimits`.
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
    /// session cannot fill the writer's queue.
    package static let commandsInFlightMax = 256
    /// Commands per second of one session, refilled continuously; a person types far below it, a bot is slowed.
    package static let commandsPerSecond = 1000
    /// Commands that may come at once before the rate applies: an outbox that is sent after a tunnel.
    package static let commandsBurst = 2000

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
    /// Documents in one answer to `watch`; what more there is comes page by page.
    package static let watchPageDocuments = 200
    /// Bytes of documents in one answer to `watch`, passed by one document at most: what a slow reader may have queued.
    package static let watchPageBytes = 256 * 1024

    // MARK: Resuming

    /// Missing events after which a client fetches state anew instead: the survey's figure, about 2 MB.
    package static let resumeEventsMax = 5000
    /// Events read from the log at a time for one session.
    package static let resumePageEvents = 200

    // MARK: Connections

    /// Bytes queued for one reader before the server stops queueing and reads on from the log later.
    package static let queuedBytesMax = 256 * 1024
    /// Bytes queued for one client beyond which its commands are not read either: replies to writes that it does not take.
    package static let unreadRepliesBytesMax = 1024 * 1024
    /// Time a socket may take nothing at all before it is closed with 4509.
    package static let stalledMilliseconds: Int64 = 60_000
    /// Time from the first byte of a connection to a complete `hello`, else 4408.
    package static let helloMilliseconds: Int64 = 10_000
    /// Time a TLS handshake, a request head or a body may take to arrive whole (slowloris). Looked at each second, so
    /// that it has ended within 10 s.
    package static let requestMilliseconds: Int64 = 9_000
    /// Time after which the keys of TLS tickets are turned; a ticket opens for three turns at most.
    package static let ticketKeysMilliseconds: Int64 = 6 * 3_600_000
    /// Time an idle keep-alive HTTP connection is kept.
    package static let keepAliveMilliseconds: Int64 = 60_000
    /// Silence after which the server pings, and announces how many events it sent.
    package static let heartbeatMilliseconds: Int64 = 25_000
    /// Time before the token expires at which the client is told.
    package static let expiringMilliseconds: Int64 = 30_000
    /// Bytes of a request body: a batch of documents.
    package static let requestBodyBytesMax = 8 * 1024 * 1024
    /// Bytes of one message of the echo endpoint, which conformance suites drive with 16 MiB.
    package static let echoMessageBytesMax = 16 * 1024 * 1024
    /// Time the server waits at a stop until replies and close frames are out.
    package static let drainMilliseconds: Int64 = 3_000

    // MARK: Compression

    /// Bytes of a message below which it is sent as it is: at 200 bytes deflate takes off a fifth in 4 µs, at 300 a third.
    package static let compressedBytesMin = 256
    /// Bytes that all windows together may take which are kept for single connections; then no more are kept.
    package static let contextBytesMax = 64 * 1024 * 1024
    /// A kept window has 2^n bytes: 4 KiB hold about the last ten messages, for 50 KiB of memory a connection.
    package static let contextWindowBitsMax = 12
    /// Bytes of a compressed connection that are looked at together: they inflate to at most a thousand times as much.
    package static let compressedPieceBytes = 4096
    /// What one byte of a compressed connection may inflate to in the long run; JSON does not reach 20.
    package static let inflatedBytesPerByte = 30
    /// What may inflate beyond that.
    package static let inflatedBytesFree = 4 * 1024 * 1024

    // MARK: The writer

    /// Commands in one transaction: at 512 a commit takes 6 to 10 ms here, beyond that latency grows and speed does not.
    package static let batchCommandsMax = 512
    /// Commands that may wait for the writer before new ones are answered `unavailable`: about half a second of work.
    package static let writerQueueMax = 20_000
    /// Days for which a write's key is remembered.
    package static let keyRetentionMilliseconds: Int64 = 7 * 86_400_000

    // MARK: Triggers

    /// Steps of SQLite's virtual machine that one condition may take: about 5 ms.
    package static let conditionStepsMax = 200_000
    /// Characters of a rendered title; the rest is cut with an ellipsis.
    package static let titleCharactersMax = 200
    /// Characters of a rendered body; push providers take 4 KB in all.
    package static let bodyCharactersMax = 1000
}
