package import Journal
import Model
package import ThreadMessages

// The binary form of signals: a version, a kind, the node's name, and the fields of the kind, in the form of the journal's
// fields. Each value has one form; all other bytes are refused.
extension NodeSignal {
    /// The first byte. A program takes no message of another version.
    static let wireVersion: UInt8 = 1

    /// The meaning of the second byte.
    ///
    /// - Confinement: any
    fileprivate enum Kind: UInt8 {
        case changes = 1
        case list, goodbye, ephemeral, claim, question, answer, outdated
        // 9 and 10 are refusals of older programs.
    }

    private var kind: Kind {
        switch self {
        case .presence(let presence):
            switch presence.content {
            case .changes: .changes
            case .list: .list
            case .goodbye: .goodbye
            }
        case .ephemeral: .ephemeral
        case .claim: .claim
        case .outdated: .outdated
        case .question: .question
        case .answer: .answer
        }
    }

    /// The subject's part after `ww.APP.`.
    package var subject: String {
        switch self {
        case .presence: "presence"
        case .ephemeral: "signal"
        case .claim, .outdated: "claim"
        case .question: Self.looking
        case .answer(let answer): Self.subject(ofAnswersTo: answer.asker)
        }
    }

    private static let looking = "looking"

    private static func subject(ofAnswersTo node: String) -> String { "\(looking).\(node)" }

    /// The subjects that a node subscribes to.
    package static func subjects(for node: String) -> [String] {
        ["presence", "signal", "claim", looking, subject(ofAnswersTo: node)]
    }

    /// The bytes of a message.
    ///
    /// - Parameter node: the name of the node whose signal it is.
    package func encoded(by node: String) -> [UInt8] {
        var bytes = [Self.wireVersion, kind.rawValue]
        bytes.append(text: node)
        switch self {
        case .presence(let presence): bytes.append(presence)
        case .ephemeral(let inboxes, let event):
            bytes.append(streams: inboxes)
            bytes.append(text: event.name.rawValue)
            bytes.append(count: event.json.count)
            bytes.append(contentsOf: event.json)
        case .claim(let device, let number), .outdated(let device, let number):
            bytes.append(signed: device.user.value)
            bytes.append(text: device.device)
            bytes.append(signed: number)
        case .question(let question):
            bytes.append(signed: question.boot)
            bytes.append(signed: question.number)
            bytes.append(list: question.nodes) { $0.append(text: $1) }
            bytes.append(streams: question.users)
        case .answer(let answer):
            bytes.append(text: answer.asker)
            bytes.append(signed: answer.boot)
            bytes.append(signed: answer.number)
            bytes.append(list: answer.sessions) { $0.append($1) }
        }
        return bytes
    }

    /// Reads the signal of a node.
    ///
    /// - Throws: for bytes that this program does not write: of another version or of an unknown kind, cut or damaged.
    package static func decode(_ bytes: [UInt8]) throws(JournalProblem) -> (node: String, NodeSignal) {
        var reader = FieldReader(bytes, in: bytes.indices)
        let version = try reader.byte("version")
        guard version == wireVersion else { throw .version(version) }
        guard let kind = Kind(rawValue: try reader.byte("kind")) else { throw .value(field: "kind") }
        let node = try reader.text("node")
        let signal = try reader.signal(of: kind)
        try reader.finish()
        return (node, signal)
    }
}

extension FieldReader {
    fileprivate mutating func signal(of kind: NodeSignal.Kind) throws(JournalProblem) -> NodeSignal {
        switch kind {
        case .changes:
            .presence(try presence { reader throws(JournalProblem) in .changes(try reader.userSessions()) })
        case .list:
            .presence(
                try presence { reader throws(JournalProblem) in
                    .list(buckets: try reader.buckets(), try reader.userSessions())
                })
        case .goodbye: .presence(try presence { _ in .goodbye })
        case .ephemeral: .ephemeral(try streams("inboxes"), try event())
        case .claim: .claim(try device(), number: try signed("number"))
        case .outdated: .outdated(try device(), by: try signed("number"))
        case .question:
            .question(
                NodeQuestion(
                    boot: try signed("boot"), number: try signed("number"),
                    nodes: try list("nodes") { reader throws(JournalProblem) in try reader.text("node") },
                    users: try streams("users")))
        case .answer:
            .answer(
                NodeAnswer(
                    to: try text("asker"), boot: try signed("boot"), number: try signed("number"),
                    sessions: try list("sessions", bytesMin: 5) { reader throws(JournalProblem) in
                        try reader.lookingSession()
                    }))
        }
    }

    private mutating func device() throws(JournalProblem) -> DeviceKey {
        DeviceKey(user: StreamID(stored: try signed("user")), device: try text("device"))
    }

    private mutating func presence(
        _ content: (inout FieldReader) throws(JournalProblem) -> NodePresence.Content
    ) throws(JournalProblem) -> NodePresence {
        let (boot, number) = (try signed("boot"), try signed("number"))
        let at = Timestamp(milliseconds: try signed("at"))
        return NodePresence(boot: boot, number: number, at: at, try content(&self))
    }

    private mutating func buckets() throws(JournalProblem) -> Range<Int> {
        let (first, count) = (try count("first bucket"), try count("buckets"))
        guard first <= PresenceTable.bucketCount, count <= PresenceTable.bucketCount - first else {
            throw .value(field: "buckets")
        }
        return first..<first + count
    }

    private mutating func userSessions() throws(JournalProblem) -> [UserSessions] {
        try list("users", bytesMin: 4) { reader throws(JournalProblem) in
            let id = StreamID(stored: try reader.signed("user"))
            guard let name = UserID(admitted: try reader.text("name")) else { throw .value(field: "name") }
            let count = try reader.count("sessions")
            // So that the counts of all nodes can be added.
            guard count <= Int32.max else { throw .value(field: "sessions") }
            return UserSessions(Person(id: id, name: name), count)
        }
    }

    private mutating func streams(_ field: String) throws(JournalProblem) -> [StreamID] {
        try list(field) { reader throws(JournalProblem) in StreamID(stored: try reader.signed(field)) }
    }

    private mutating func event() throws(JournalProblem) -> EncodedEvent {
        guard let name = EventName(rawValue: try text("event")) else { throw .value(field: "event") }
        return EncodedEvent(name, json: Array(bytes[try range("json")]))
    }

    private mutating func lookingSession() throws(JournalProblem) -> LookingSession {
        let user = StreamID(stored: try signed("user"))
        let device = try text("device")
        let acked = Position(try signed("acked"))
        let focus = try optional("focus") { reader throws(JournalProblem) in try reader.isTrue("focus") }
        let chat = try optional("chat") { reader throws(JournalProblem) in
            guard let chat = ChatID(try reader.text("chat")) else { throw .value(field: "chat") }
            return chat
        }
        return LookingSession(user: user, device: device, acked: acked, focus: focus, chat: chat)
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ presence: NodePresence) {
        append(signed: presence.boot)
        append(signed: presence.number)
        append(signed: presence.at.milliseconds)
        switch presence.content {
        case .changes(let users): append(users)
        case .list(let buckets, let users):
            append(count: buckets.lowerBound)
            append(count: buckets.count)
            append(users)
        case .goodbye: break
        }
    }

    private mutating func append(_ users: [UserSessions]) {
        append(list: users) { bytes, user in
            bytes.append(signed: user.person.id.value)
            bytes.append(text: user.person.name.text)
            bytes.append(count: user.count)
        }
    }

    fileprivate mutating func append(streams: [StreamID]) { append(list: streams) { $0.append(signed: $1.value) } }

    fileprivate mutating func append(_ session: LookingSession) {
        append(signed: session.user.value)
        append(text: session.device)
        append(signed: session.acked.value)
        append(optional: session.focus) { $0.append(isTrue: $1) }
        append(optional: session.chat) { $0.append(text: $1.text) }
    }
}
