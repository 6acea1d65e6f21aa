import Model

// A publication among the steps. Its payload is an argument of the statement that wrote the event into the log.
extension [UInt8] {
    mutating func append(_ publication: Publication, of statements: StatementRecord) {
        append(varint: UInt64(publication.position.value))
        append(text: publication.name.rawValue)
        append(signed: publication.stream.value)
        append(optional: publication.secondStream) { $0.append(signed: $1.value) }
        append(publication.payload, of: statements)
        append(publication.unread)
        append(optional: publication.broadcast) { $0.append(signed: $1) }
        append(optional: publication.document) { bytes, document in
            bytes.append(text: document.path.text)
            bytes.append(signed: document.version)
            bytes.append(optional: document.bytes) { $0.append(count: $1) }
        }
        append(optional: publication.notification) { $0.append($1) }
        append(optional: publication.reach) { bytes, reach in
            for streams in [reach.others, reach.except, reach.told] {
                bytes.append(list: streams) { $0.append(signed: $1.value) }
            }
            bytes.append(list: reach.zones) { $0.append(text: $1) }
        }
    }

    private mutating func append(_ unread: Publication.UnreadEffect) {
        append(unread.code)
        if case .message(let author) = unread { append(signed: author.value) }
    }

    mutating func append(_ notice: OnlineNotice, of statements: StatementRecord) {
        append(text: notice.name.rawValue)
        append(notice.payload, of: statements)
        append(signed: notice.broadcast)
        append(optional: notice.facts) { $0.append($1) }
    }

    /// Languages stand in the order of their texts, so that the same payload is the same bytes.
    private mutating func append(_ payload: Publication.Payload, of statements: StatementRecord) {
        switch payload {
        case .same(let json):
            append(0)
            append(bytes: json, of: statements)
        case .localized(let texts):
            append(1)
            append(bytes: texts.fallback, of: statements)
            append(list: texts.byLanguage.sorted { $0.key.text < $1.key.text }) { bytes, entry in
                bytes.append(text: entry.key.text)
                bytes.append(bytes: entry.value, of: statements)
            }
        }
    }

    private mutating func append(_ facts: NotificationFacts) {
        append(text: facts.kind)
        append(text: facts.level.rawValue)
        append(text: facts.topic)
        append(list: facts.otherTopics) { $0.append(text: $1) }
        append(list: facts.mutedTogether) { $0.append(signed: $1.value) }
        append(optional: facts.chat) { $0.append(text: $1.text) }
        append(signed: facts.at.milliseconds)
        append(optional: facts.silence) { $0.append(text: $1.rawValue) }
        append(isTrue: facts.isPersonal)
        append(isTrue: facts.endsQuietHours)
    }
}

extension FieldReader {
    mutating func publication(of statements: StatementList) throws(JournalProblem) -> Publication {
        let position = try position("publication's position")
        let name = try value("publication's name") { EventName(rawValue: $0) }
        let stream = try stream("publication's stream")
        let second = try optional("publication's second stream") { reader throws(JournalProblem) in
            try reader.stream("publication's second stream")
        }
        let payload = try payload(of: statements)
        let unread = try unread()
        let broadcast = try optional("publication's broadcast") { reader throws(JournalProblem) in
            try reader.signed("publication's broadcast")
        }
        let document = try optional("publication's document") { reader throws(JournalProblem) in
            Publication.Document(
                path: try reader.value("document's path") { try? DocumentPath($0) },
                version: try reader.signed("document's version"),
                bytes: try reader.optional("document's bytes") { reader throws(JournalProblem) in
                    try reader.count("document's bytes")
                })
        }
        let facts = try optional("publication's notification") { reader throws(JournalProblem) in try reader.facts() }
        let reach = try optional("publication's reach") { reader throws(JournalProblem) in try reader.reach() }
        return Publication(
            position: position, name: name, stream: stream, secondStream: second, payload: payload, unread: unread,
            broadcast: broadcast, document: document, notification: facts, reach: reach)
    }

    private mutating func unread() throws(JournalProblem) -> Publication.UnreadEffect {
        let code = try byte("publication's unread")
        switch code {
        case 0: return .unchanged
        case 1: return .oneMore
        case 2: return .recount
        case 3: return .message(of: try stream("message's author"))
        default: throw .value(field: "publication's unread")
        }
    }

    mutating func notice(of statements: StatementList) throws(JournalProblem) -> OnlineNotice {
        OnlineNotice(
            try value("notice's name") { EventName(rawValue: $0) }, try payload(of: statements),
            broadcast: try signed("notice's broadcast"),
            facts: try optional("notice's notification") { reader throws(JournalProblem) in try reader.facts() })
    }

    private mutating func payload(of statements: StatementList) throws(JournalProblem) -> Publication.Payload {
        switch try byte("payload") {
        case 0: return .same(try bytes("payload", of: statements))
        case 1:
            let fallback = try bytes("payload", of: statements)
            var byLanguage: [LanguageTag: [UInt8]] = [:]
            for _ in 0..<(try count(of: "payload's languages", bytesMin: 3)) {
                let language = try value("payload's language") { LanguageTag($0) }
                byLanguage[language] = try bytes("payload", of: statements)
            }
            return .localized(Localized(fallback: fallback, byLanguage: byLanguage))
        default: throw .value(field: "payload")
        }
    }

    private mutating func facts() throws(JournalProblem) -> NotificationFacts {
        NotificationFacts(
            kind: try text("notification's kind"),
            level: try value("notification's level") { InterruptionLevel(rawValue: $0) },
            topic: try text("notification's topic"),
            otherTopics: try list("notification's topics") { reader throws(JournalProblem) in
                try reader.text("notification's topics")
            },
            mutedTogether: try streams("notification's muted streams"),
            chat: try optional("notification's chat") { reader throws(JournalProblem) in
                try reader.value("notification's chat") { ChatID($0) }
            },
            at: Timestamp(milliseconds: try signed("notification's time")),
            silence: try optional("notification's silence") { reader throws(JournalProblem) in
                try reader.value("notification's silence") { Silence(rawValue: $0) }
            },
            isPersonal: try isTrue("notification is personal"),
            endsQuietHours: try isTrue("notification ends quiet hours"))
    }

    private mutating func reach() throws(JournalProblem) -> PublicationReach {
        let others = try streams("reach's others")
        let except = try streams("reach's exceptions")
        let told = try streams("reach's streams that were notified")
        let zones = try list("reach's zones") { reader throws(JournalProblem) in try reader.text("reach's zones") }
        return PublicationReach(others: others, except: except, zones: zones, told: told)
    }

    mutating func stream(_ field: String) throws(JournalProblem) -> StreamID {
        StreamID(stored: try signed(field))
    }

    mutating func streams(_ field: String) throws(JournalProblem) -> [StreamID] {
        try list(field) { reader throws(JournalProblem) in try reader.stream(field) }
    }

    /// A text that is the name of something.
    mutating func value<Value>(_ field: String, _ named: (String) -> Value?) throws(JournalProblem) -> Value {
        guard let value = named(try text(field)) else { throw .value(field: field) }
        return value
    }
}

extension Publication.UnreadEffect {
    fileprivate var code: UInt8 {
        switch self {
        case .unchanged: 0
        case .oneMore: 1
        case .recount: 2
        case .message: 3
        }
    }
}
