/// The bounds of this module, each with its reason.
enum JournalLimits {
    /// The bytes that a read may ask for at once. One entry must fit with its headers: 8 MB is the largest message.
    static let pullBytes = 16 << 20
    /// The entries that a read may ask for at once: small ones are then limited by number, not by bytes.
    static let pullEntries = 500
    /// How long one request for entries waits at the server before it is renewed.
    static let pullMilliseconds = 30_000
    /// The server says this often that a waiting request is still known.
    static let heartbeatMilliseconds = 1000
    /// Three heartbeats: after this much silence the read begins again.
    static let silenceMilliseconds: Int64 = 3000
    /// How long an entry that is known to be there may be on its way, before the read begins again; twice as long each time,
    /// so that a large one comes over a slow network, too.
    static let entryMilliseconds: ClosedRange<Int64> = 4000...32_000
    /// How long a server keeps what it knows of a read that nobody asks for. Longer than a pause of the reader.
    static let forgetSeconds = 30
    /// How long a journal that ends before the wanted entry is asked again: a new leader may not have applied all.
    static let aheadMilliseconds: Int64 = 5000
    /// How often the same hole is read again before the read ends.
    static let holeRepeats = 3
    /// The time for a question about the stream.
    static let questionMilliseconds = 2000
    /// How often deadlines and silence are looked at.
    static let tickMilliseconds: Int64 = 50
    /// A loop that has not turned for this long has stood still, and not the journal.
    static let standstillMilliseconds: Int64 = 500
    /// The shortest and the longest pause between two tries.
    static let pauseMilliseconds: ClosedRange<Int64> = 250...2000
    /// libnats sends a ping this often; two without an answer end the connection.
    static let pingMilliseconds: Int64 = 1000
    /// The time for a write while the connection is opened; afterwards no write waits.
    static let writeMilliseconds: Int64 = 1000
    /// The bytes of one read: an entry of a hundred commands comes in one piece, which libnats need not put together.
    static let readBytes: Int32 = 128 << 10
    /// The longest INFO line; longer ones are not from a NATS server.
    static let greetingBytes = 64 << 10
    /// The largest message of the journal, section 2 of the design; servers must take it.
    static let payloadBytes = 8 << 20
}
