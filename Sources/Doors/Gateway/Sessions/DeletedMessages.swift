import Fanout
import JSON
import Model

/// The messages that some commits delete: a session that reads on from these commits must not get their words, which
/// stand in earlier ones.
///
/// - Confinement: any
struct DeletedMessages {
    private struct Message: Hashable {
        let chat: String
        let n: Int64

        init?(_ event: JSONValue) {
            guard let chat = event["chat"]?.stringValue, let n = event["n"]?.integerValue else { return nil }
            self.chat = chat
            self.n = n
        }
    }

    private var gone: Set<Message> = []

    /// Looks at the names alone where nothing was deleted.
    init(in commits: some Sequence<RecentCommits<KeptStep>.Commit>) {
        for commit in commits {
            for case .publication(let framed) in commit.steps where framed.publication.name == .messageDeleted {
                if let message = Self.event(framed.publication).flatMap(Message.init) { gone.insert(message) }
            }
        }
    }

    /// The event of a message that is deleted later, as the log gives it from then on; nil for every other event.
    func blanked(_ publication: Publication) -> [UInt8]? {
        guard !gone.isEmpty, publication.name == .message || publication.name == .messageEdited,
            var event = Self.event(publication), let message = Message(event), gone.contains(message)
        else { return nil }
        for name in ["text", "product", "replyTo"] { event[name] = .none }
        if publication.name == .message { event["deleted"] = true }
        return event.bytes
    }

    private static func event(_ publication: Publication) -> JSONValue? {
        try? JSONValue(parsing: publication.payload[nil])
    }
}
