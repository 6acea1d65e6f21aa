/// The bounds of writes that nodes hand each other.
///
/// - Confinement: any
enum CommandLimits {
    /// Of the commands in one message; a larger command has a message of its own. Messages of this size do not keep
    /// heartbeats waiting.
    static let messageBytesMax = 256 << 10
    /// Of commands that were sent and not answered: some batches of the node that leads.
    static let flightBytesMax = 4 << 20
    /// After this time without an answer, everything is sent again.
    static let again: Int64 = 1000
    /// An older command is refused: its client has given up, and its time would be stamped wrongly.
    static let ageMilliseconds: Int64 = 60_000
    /// Of answers in one message: each may have the bytes of a document.
    static let answerBytesMax = 256 << 10
    /// The nodes whose earlier runs are remembered, and the runs.
    static let runsMax = 16
}
