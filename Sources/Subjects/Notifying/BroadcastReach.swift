import JSON
import Model
import Push
import Store
import Triggers

/// The people of a slice of a broadcast's audience, by how it would reach them.
///
/// - Confinement: store (a reader's thread)
struct BroadcastReach {
    private let order: BroadcastOrder
    private let users: OnlineUsers
    private let now: Timestamp
    private let transaction: Transaction
    private let several: ScopePeople?
    private var people: Int64 = 0
    private var keptOut: Int64 = 0
    private var online: Int64 = 0
    private var withDevice: Int64 = 0
    private var held: [Silence: Int64] = [:]
    private var languages: [Reading: Int64] = [:]

    /// The language of a reader and that of the text that the reader gets; nil for none chosen, and for the default text.
    private struct Reading: Hashable {
        let language: LanguageTag?
        let text: LanguageTag?
    }

    /// - Parameter several: the people of a scope.
    init(
        _ order: BroadcastOrder, _ several: ScopePeople?, online: OnlineUsers, at now: Timestamp,
        in transaction: Transaction
    ) {
        self.order = order
        self.several = several
        users = online
        self.now = now
        self.transaction = transaction
    }

    /// Counts one person.
    mutating func add(_ user: UserEntry) throws {
        let preferences = user.preferences.flatMap { DeliveryPreferences.stored($0) }
        let time = time(by: preferences?.clock ?? .utc)
        let isKeptOut = try [Restriction.Kind.ban, .deactivated].contains { kind in
            try transaction.restrictions.inForce(kind, of: user.id, at: time) != nil
        }
        if isKeptOut {
            keptOut += 1
            return
        }
        people += 1
        let language = user.effectiveLanguage
        languages[Reading(language: language, text: order.texts.texts.language(for: language)), default: 0] += 1
        if users.contains(user.id) { online += 1 }
        if try transaction.pushDevices.exists(of: user.id) { withDevice += 1 }
        let topics = topics(of: user)
        let facts = NotificationFacts(
            kind: order.kind, level: order.level, topic: topics.first ?? "", otherTopics: Array(topics.dropFirst()),
            at: time, isPersonal: false)
        if let silence = preferences?.reason(against: facts, beginsDigest: false, follows: { _ in false }) {
            held[silence, default: 0] += 1
        }
    }

    /// The topics of the row that a person gets.
    private func topics(of user: UserEntry) -> [String] {
        guard let several else { return [order.audience.text] }
        if several.named.contains(user.id) { return [Topic(user: user.name).text] }
        return several.scope.audiences.contains(.everyone)
            ? ["everyone"] : several.scope.audiences.filter(\.isSingle).map(\.text)
    }

    /// The time at which a person gets it.
    private func time(by clock: ZoneClock) -> Timestamp {
        switch order.time {
        case nil: now
        case .moment(let time): time
        case .recipients(let wall): max(now, TriggerClock.instant(of: wall, in: clock.name))
        }
    }

    var json: JSONObject {
        [
            "people": .integer(people), "keptOut": .integer(keptOut), "online": .integer(online),
            "withDevice": .integer(withDevice), "quietHours": .integer(held[.quietHours] ?? 0),
            "muted": .integer(held[.muted] ?? 0), "level": .integer(held[.level] ?? 0),
            "digest": .integer(held[.digest] ?? 0),
        ]
    }

    /// The languages of the readers, the most frequent first, each with the text that they get.
    var languagesJSON: JSONValue {
        let sorted = languages.sorted { one, other in
            (other.value, one.key.language?.text ?? "") < (one.value, other.key.language?.text ?? "")
        }
        return .array(
            sorted.map { reading, count in
                [
                    "language": .string(reading.language?.text ?? ""), "text": .string(reading.text?.text ?? ""),
                    "people": .integer(count),
                ]
            })
    }
}

extension Localized {
    /// The language of the value for a reader of `language`; nil for the default.
    fileprivate func language(for language: LanguageTag?) -> LanguageTag? {
        var wanted = language
        while let tag = wanted {
            if byLanguage[tag] != nil { return tag }
            wanted = tag.wider
        }
        return nil
    }
}
