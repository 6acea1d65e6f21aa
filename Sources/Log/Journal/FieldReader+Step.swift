import Model

// The steps of a commit: a publication, or a change of sessions.
extension [UInt8] {
    mutating func append(step: CommittedStep, of statements: StatementRecord) {
        switch step {
        case .publication(let publication):
            append(StepCode.publication.rawValue)
            append(publication, of: statements)
        case .change(let change): append(change, of: statements)
        }
    }

    private mutating func append(_ change: SessionChange, of statements: StatementRecord) {
        append(StepCode(change).rawValue)
        switch change {
        case .subscription(let user, let stream, let isOn):
            append(signed: user.value)
            append(signed: stream.value)
            append(isTrue: isOn)
        case .unread(let user, let counts, let position):
            append(signed: user.value)
            append(signed: counts.chats)
            append(signed: counts.notifications)
            append(varint: UInt64(position.value))
        case .roomRead(let users, let room, let position):
            append(list: users) { $0.append(signed: $1.value) }
            append(signed: room.value)
            append(varint: UInt64(position.value))
        case .language(let user, let language):
            append(signed: user.value)
            append(optional: language) { $0.append(text: $1.text) }
        case .preferences(let user, let stored, let isHidden):
            append(signed: user.value)
            append(optional: stored) { $0.append(text: $1) }
            append(isTrue: isHidden)
        case .digestBegins(let user, let position):
            append(signed: user.value)
            append(varint: UInt64(position.value))
        case .snoozed(let user, let count), .archived(let user, let count):
            append(signed: user.value)
            append(count: count)
        case .accessRules(let rules): append(text: rules)
        case .revoked(let revocation):
            append(revocation.subject)
            append(signed: revocation.until.milliseconds)
        case .revocationLifted(let subject): append(subject)
        case .kicked(let user, let reason):
            append(text: user.text)
            append(text: reason)
        case .blocked(let other, let user, let isOn):
            append(signed: other.value)
            append(signed: user.value)
            append(isTrue: isOn)
        case .banned(let ban) where ban.kind == .deactivated: append(text: ban.user.text)
        case .banned(let ban):
            append(text: ban.user.text)
            append(optional: ban.until) { $0.append(signed: $1.milliseconds) }
            append(text: ban.reason)
        case .banLifted(let user, _): append(text: user.text)
        case .online(let notice): append(notice, of: statements)
        case .erased(let user, let name, let key):
            append(optional: user) { $0.append(text: $1.text) }
            append(text: name.hash)
            append(signed: name.at.milliseconds)
            append(signed: name.until.milliseconds)
            append(isTrue: name.isInvited)
            append(text: key)
        case .erasureEnded: break
        case .unlogged(let stream): append(signed: stream.value)
        }
    }

    private mutating func append(_ subject: Revocation.Subject) {
        switch subject {
        case .token(let name):
            append(0)
            append(text: name)
        case .user(let user, let time):
            append(1)
            append(text: user.text)
            append(signed: time.milliseconds)
        }
    }
}

/// The first byte of a step.
private enum StepCode: UInt8 {
    case publication
    case subscription, unread, language, preferences, digestBegins, snoozed, accessRules, revoked, revocationLifted
    case kicked, blocked, banned, banLifted, roomRead, online, erased, erasureEnded, archived
    case deactivated, reactivated, unlogged

    init(_ change: SessionChange) {
        self =
            switch change {
            case .subscription: .subscription
            case .unread: .unread
            case .roomRead: .roomRead
            case .language: .language
            case .preferences: .preferences
            case .digestBegins: .digestBegins
            case .snoozed: .snoozed
            case .archived: .archived
            case .accessRules: .accessRules
            case .revoked: .revoked
            case .revocationLifted: .revocationLifted
            case .kicked: .kicked
            case .blocked: .blocked
            case .banned(let ban): ban.kind == .deactivated ? .deactivated : .banned
            case .banLifted(_, let kind): kind == .deactivated ? .reactivated : .banLifted
            case .online: .online
            case .erased: .erased
            case .erasureEnded: .erasureEnded
            case .unlogged: .unlogged
            }
    }
}

extension FieldReader {
    mutating func step(of statements: StatementList) throws(JournalProblem) -> CommittedStep {
        guard let code = StepCode(rawValue: try byte("step's kind")) else { throw .value(field: "step's kind") }
        return code == .publication
            ? .publication(try publication(of: statements)) : .change(try change(code, of: statements))
    }

    private mutating func change(_ code: StepCode, of statements: StatementList) throws(JournalProblem) -> SessionChange
    {
        switch code {
        case .publication: throw .value(field: "step's kind")
        case .subscription:
            return .subscription(user: try user(), stream: try stream("step's stream"), isOn: try isTrue("step is on"))
        case .unread:
            let user = try user()
            let counts = UnreadCounts(chats: try signed("unread chats"), notifications: try signed("unread"))
            return .unread(user: user, counts: counts, asOf: try position("unread counts' position"))
        case .roomRead:
            let users = try streams("step's users")
            return .roomRead(
                users: users, room: try stream("step's room"), asOf: try position("read room's position"))
        case .language:
            let user = try user()
            let language = try optional("language") { reader throws(JournalProblem) in
                try reader.value("language") { LanguageTag($0) }
            }
            return .language(user: user, language: language)
        case .preferences:
            let user = try user()
            let stored = try optional("preferences") { reader throws(JournalProblem) in try reader.text("preferences") }
            return .preferences(user: user, stored: stored, isHidden: try isTrue("preferences are hidden"))
        case .digestBegins: return .digestBegins(user: try user(), with: try position("digest's position"))
        case .snoozed: return .snoozed(user: try user(), count: try count("snoozed"))
        case .archived: return .archived(user: try user(), count: try count("archived"))
        case .accessRules: return .accessRules(try text("access rules"))
        case .revoked:
            let subject = try subject()
            return .revoked(Revocation(subject, until: Timestamp(milliseconds: try signed("revocation's end"))))
        case .revocationLifted: return .revocationLifted(try subject())
        case .kicked:
            return .kicked(try value("kicked user") { UserID(stored: $0) }, reason: try text("kick's reason"))
        case .blocked: return .blocked(try user(), by: try user(), isOn: try isTrue("block is on"))
        case .banned:
            let user = try value("banned user") { UserID(stored: $0) }
            let until = try optional("ban's end") { reader throws(JournalProblem) in
                Timestamp(milliseconds: try reader.signed("ban's end"))
            }
            return .banned(Restriction(.ban, of: user, until: until, reason: try text("ban's reason")))
        case .banLifted: return .banLifted(try value("user") { UserID(stored: $0) }, .ban)
        case .deactivated:
            let user = try value("closed user") { UserID(stored: $0) }
            return .banned(Restriction(.deactivated, of: user, until: nil, reason: ""))
        case .reactivated: return .banLifted(try value("user") { UserID(stored: $0) }, .deactivated)
        case .online: return .online(try notice(of: statements))
        case .erased:
            let user = try optional("erased user") { reader throws(JournalProblem) in
                try reader.value("erased user") { UserID(stored: $0) }
            }
            let name = ErasedName(
                hash: try text("erased name"), at: Timestamp(milliseconds: try signed("erasure's time")),
                until: Timestamp(milliseconds: try signed("erasure's end")), isInvited: try isTrue("name is invited"))
            return .erased(user, name, key: try text("erasures' key"))
        case .erasureEnded: return .erasureEnded
        case .unlogged: return .unlogged(try stream("path's stream"))
        }
    }

    private mutating func user() throws(JournalProblem) -> StreamID { try stream("step's user") }

    private mutating func subject() throws(JournalProblem) -> Revocation.Subject {
        switch try byte("revocation's kind") {
        case 0: return .token(try text("revoked token"))
        case 1:
            let user = try value("revoked user") { UserID(stored: $0) }
            return .user(user, issuedUpTo: Timestamp(milliseconds: try signed("revoked up to")))
        default: throw .value(field: "revocation's kind")
        }
    }
}
