import Admin

/// Where a conversation is with its request.
///
/// - Confinement: loop
enum ConversationStage {
    /// A request comes in, or none does.
    case receiving
    /// A request is being answered: nothing more is read meanwhile.
    case answering(Work)
    /// The request is answered, and the next one waits for its turn.
    case between
    /// The last answer is written.
    case ending

    /// The work that answers a request.
    enum Work {
        case any
        /// It waits for what its client has written by another node.
        case position
        /// It only reads, so that its answer may be withheld.
        case reading
        /// A reader checks whether the stream that is asked for without a token is open to anyone.
        indirect case opening(EventsRequest)
        /// A copy of the database, or of what is kept about a user, is under way.
        case copying(BackupStream)
    }

    var isAnswering: Bool { if case .answering = self { true } else { false } }
    /// Whether an answer that comes now may be that to a write.
    var mayHaveWritten: Bool { if case .answering(.any) = self { true } else { false } }
    var isEnding: Bool { if case .ending = self { true } else { false } }

    /// The copy that is under way.
    var backup: BackupStream? { if case .answering(.copying(let backup)) = self { backup } else { nil } }
}
