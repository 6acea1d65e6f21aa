import Journal
import Model
import TestSupport

/// A commit of chance, with every kind of step.
struct RandomCommit {
    private var random: SeededRandom
    private(set) var record: CommitRecord
    private(set) var replies: [JournalReply] = []

    init(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var statements = StatementRecord()
        var texts: [[UInt8]] = []
        for number in 0..<Int.random(in: 1...4, using: &random) { _ = statements.addStatement("statement \(number) ü") }
        for _ in 0..<Int.random(in: 0...12, using: &random) {
            let count = Int.random(in: 0...9, using: &random)
            statements.begin(Int.random(in: 0..<statements.textCount, using: &random), arguments: count)
            for _ in 0..<count { Self.argument(&statements, &texts, &random) }
            statements.end(rows: Int.random(in: 0...300, using: &random))
        }
        self.random = random
        record = CommitRecord(
            before: .zero, head: .zero, statements: statements, steps: [], stepCounts: [], webhooks: WebhookTally(),
            pushes: PushTally())
        let steps = try (0..<Int.random(in: 0...8, using: &random)).map { _ in try step(texts) }
        replies = (0..<Int.random(in: 0...3, using: &random)).map { _ in
            let body = self.random.bytes(30)
            let outcomes: [JournalReply.Outcome] = [
                .answer(body), .answer(body, version: number(1 << 40) - 5), .refusal(body),
            ]
            return JournalReply(
                node: text(), ticket: self.random.next(), stepCount: steps.count,
                outcome: outcomes[Int(number(3))])
        }
        var pushes = PushTally()
        pushes.gone = 7
        pushes.isTouched = true
        record = CommitRecord(
            before: Position(number(1000)), head: Position(1000 + number(1000)), statements: statements, steps: steps,
            stepCounts: [], webhooks: WebhookTally(), pushes: pushes)
    }

    private static func argument(
        _ statements: inout StatementRecord, _ texts: inout [[UInt8]], _ random: inout SeededRandom
    ) {
        switch Int.random(in: 0...6, using: &random) {
        case 0: statements.addNull()
        case 1: statements.add(integer: Int64(bitPattern: random.next()) >> Int64.random(in: 0...63, using: &random))
        case 2: statements.add(real: Double(bitPattern: random.next()))
        case 3: statements.add(blob: random.bytes(Int.random(in: 0...60, using: &random)))
        case 4 where !texts.isEmpty: statements.add(text: texts[Int.random(in: 0..<texts.count, using: &random)])
        default:
            let text = String(repeating: "ä\(random.next())", count: Int.random(in: 0...5, using: &random))
            texts.append(Array(text.utf8))
            statements.add(text: text)
        }
    }

    private mutating func number(_ bound: Int64) -> Int64 { Int64.random(in: 0..<bound, using: &random) }
    private mutating func text() -> String { "t\(random.next())" }
    private mutating func stream() -> StreamID { StreamID(stored: number(2000) - 1000) }
    private mutating func position() -> Position { Position(number(Position.bound)) }

    private mutating func step(_ texts: [[UInt8]]) throws -> CommittedStep {
        let user = try userID("u\(number(99))")
        switch number(22) {
        case 0: return .change(.subscription(user: stream(), stream: stream(), isOn: true))
        case 1:
            let counts = UnreadCounts(chats: number(9), notifications: number(900))
            return .change(.unread(user: stream(), counts: counts, asOf: position()))
        case 2: return .change(.language(user: stream(), language: LanguageTag("it-CH")))
        case 3: return .change(.preferences(user: stream(), stored: number(2) == 0 ? nil : text(), isHidden: true))
        case 4: return .change(.digestBegins(user: stream(), with: position()))
        case 5: return .change(.snoozed(user: stream(), count: 3))
        case 6: return .change(.accessRules(text()))
        case 7:
            let subject = Revocation.Subject.user(user, issuedUpTo: Timestamp(milliseconds: -number(99)))
            return .change(.revoked(Revocation(subject, until: Timestamp(milliseconds: number(1 << 40)))))
        case 8: return .change(.revocationLifted(.token(text())))
        case 9: return .change(.kicked(user, reason: text()))
        case 10: return .change(.blocked(stream(), by: stream(), isOn: number(2) == 0))
        case 11:
            let until = number(2) == 0 ? nil : Timestamp(milliseconds: number(1 << 40))
            if number(3) == 0 {
                return .change(.banned(Restriction(.deactivated, of: user, until: nil, reason: "")))
            }
            return .change(.banned(Restriction(.ban, of: user, until: until, reason: text())))
        case 12: return .change(.banLifted(user, number(2) == 0 ? .ban : .deactivated))
        case 13: return .change(.roomRead(users: [stream(), stream()], room: stream(), asOf: position()))
        case 14:
            let publication = try publication(texts)
            return .change(
                .online(
                    OnlineNotice(
                        publication.name, publication.payload, broadcast: number(99),
                        facts: publication.notification)))
        case 15:
            let name = ErasedName(
                hash: text(), at: Timestamp(milliseconds: number(1 << 40)),
                until: Timestamp(milliseconds: number(1 << 40)), isInvited: number(2) == 0)
            return .change(.erased(number(2) == 0 ? nil : user, name, key: text()))
        case 16: return .change(.erasureEnded)
        case 17: return .change(.archived(user: stream(), count: 3))
        case 18: return .change(.unlogged(stream()))
        default: return .publication(try publication(texts))
        }
    }

    private mutating func publication(_ texts: [[UInt8]]) throws -> Publication {
        let json = texts.isEmpty || number(2) == 0 ? random.bytes(40) : texts[Int(number(Int64(texts.count)))]
        let localized = Localized(
            fallback: json,
            byLanguage: [try language("it"): random.bytes(3), try language("de"): json, try language("fr"): []])
        let facts = NotificationFacts(
            kind: text(), level: .passive, topic: text(), otherTopics: [text()], mutedTogether: [stream()],
            chat: ChatID("alice:bob"), at: Timestamp(milliseconds: number(1 << 40)), silence: .quietHours,
            isPersonal: number(2) == 0, endsQuietHours: number(2) == 0)
        return Publication(
            position: position(), name: EventName.allCases[Int(number(Int64(EventName.allCases.count)))],
            stream: stream(), secondStream: number(2) == 0 ? nil : stream(),
            payload: number(2) == 0 ? .same(json) : .localized(localized),
            unread: [.unchanged, .oneMore, .recount, .message(of: stream())][Int(number(4))],
            broadcast: number(2) == 0 ? nil : number(99),
            document: number(2) == 0 ? nil : .init(path: try DocumentPath("a/b"), version: number(9), bytes: 3),
            notification: number(2) == 0 ? nil : facts,
            reach: number(2) == 0
                ? nil : PublicationReach(others: [stream()], except: [stream()], zones: [text()], told: [stream()]))
    }

    private func language(_ text: String) throws -> LanguageTag {
        guard let tag = LanguageTag(text) else { throw Missing(what: text) }
        return tag
    }

    private func userID(_ text: String) throws -> UserID {
        guard let id = UserID(text) else { throw Missing(what: text) }
        return id
    }
}

/// Something that a test relies on is not there.
struct Missing: Error {
    let what: String
}
