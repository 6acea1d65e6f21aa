import ClientProtocol
import JSON
import Model
import Store
import Triggers

/// What was collected of a user's notifications, to be told of together.
///
/// - Confinement: store (the writer's thread)
struct Digest {
    /// The kind of the notification that tells of it.
    static let kind = NotificationFacts.digestKind

    let subject: DigestSubject
    /// What it collects, newest first.
    private(set) var entries: [NotificationEntry] = []

    /// Collects what is unread behind a position.
    init(
        _ subject: DigestSubject,
        of user: UserEntry,
        since position: Position,
        preferences: DeliveryPreferences,
        in context: WriteContext
    ) throws {
        self.subject = subject
        let transaction = context.transaction
        var decision = DeliveryDecision(of: user, in: transaction)
        let wanted: Silence = subject == .quietHours ? .quietHours : .digest
        var before = Position(Position.bound)
        // What it collects may lie under much else that is unread.
        for _ in 0..<PreferenceLimits.digestPagesMax {
            let page = try transaction.notifications.page(
                of: user,
                before: before,
                after: position,
                onlyUnread: true,
                at: context.now,
                limit: PreferenceLimits.digestCountMax
            )
            // Deciding about one takes some look-ups.
            context.engine.meter.charge(page.count * TriggerLimits.rowWork / 2)
            for entry in page where try decision.reason(for: entry) == wanted {
                if wanted == .digest {
                    let facts = NotificationFacts(entry, isPersonal: false)
                    guard preferences.digest(of: facts)?.subject == subject else { continue }
                }
                entries.append(entry)
                guard entries.count < PreferenceLimits.digestCountMax else { return }
            }
            guard page.count == PreferenceLimits.digestCountMax, let last = page.last else { return }
            before = last.position
        }
    }

    /// By which it replaces the one before.
    static func collapse(of subject: DigestSubject) -> String { "digest:" + subject.name }

    /// The notification that tells of it.
    func draft(for user: UserEntry) throws -> NotificationDraft {
        NotificationDraft(
            kind: Self.kind,
            level: .active,
            texts: StoredTexts(try texts(for: user)),
            data: JSONValue.object(data).text,
            expires: nil,
            collapse: Self.collapse(of: subject),
            broadcast: nil
        )
    }

    private var data: JSONObject {
        var kinds = JSONObject()
        for entry in entries { kinds[entry.kind] = .integer((kinds[entry.kind]?.integerValue ?? 0) + 1) }
        return [
            "of": .string(subject.name), "count": .integer(Int64(entries.count)), "kinds": .object(kinds),
            "items": .array(entries.prefix(PreferenceLimits.digestItemsMax).map { .string($0.id) }),
        ]
    }

    /// The count as the title in every language the server knows, and some titles as the body.
    private func texts(for user: UserEntry) throws -> Localized<NotificationText> {
        let shown = try entries.prefix(PreferenceLimits.digestTitlesMax).map {
            try StoredTexts(parsing: $0.texts).texts
        }
        func text(_ language: LanguageTag?, _ title: String) -> NotificationText {
            NotificationText(title: title, body: shown.map { $0[language].title }.joined(separator: "\n"))
        }
        var byLanguage: [LanguageTag: NotificationText] = [:]
        for words in DigestWords.all {
            guard let tag = LanguageTag(words.language) else { continue }
            byLanguage[tag] = text(tag, words.title(entries.count, isAway: subject == .quietHours))
        }
        return Localized(
            fallback: text(
                user.effectiveLanguage,
                DigestWords.english.title(entries.count, isAway: subject == .quietHours)
            ),
            byLanguage: byLanguage
        )
    }
}

/// The title of a digest in one language, with its plurals (CLDR's categories).
///
/// - Confinement: any
struct DigestWords: Sendable {
    let language: String
    private let new: Plural
    private let away: Plural

    /// The words behind the number.
    private struct Plural: Sendable {
        let one: String
        /// 2 to 4, and what ends in them but for 12 to 14, in Polish; elsewhere never asked for.
        var few = ""
        let other: String
    }

    func title(_ count: Int, isAway: Bool) -> String {
        let words = isAway ? away : new
        let isFew = language == "pl" && (2...4).contains(count % 10) && !(12...14).contains(count % 100)
        return "\(count) \(count == 1 ? words.one : isFew ? words.few : words.other)"
    }

    static let english = DigestWords(
        language: "en",
        new: Plural(one: "new notification", other: "new notifications"),
        away: Plural(one: "notification while you were away", other: "notifications while you were away")
    )
    static let all = [
        english,
        DigestWords(
            language: "it",
            new: Plural(one: "nuova notifica", other: "nuove notifiche"),
            away: Plural(one: "notifica mentre non c’eri", other: "notifiche mentre non c’eri")
        ),
        DigestWords(
            language: "pl",
            new: Plural(one: "nowe powiadomienie", few: "nowe powiadomienia", other: "nowych powiadomień"),
            away: Plural(
                one: "powiadomienie, gdy Cię nie było",
                few: "powiadomienia, gdy Cię nie było",
                other: "powiadomień, gdy Cię nie było"
            )
        ),
        DigestWords(
            language: "el",
            new: Plural(one: "νέα ειδοποίηση", other: "νέες ειδοποιήσεις"),
            away: Plural(one: "ειδοποίηση όσο λείπατε", other: "ειδοποιήσεις όσο λείπατε")
        ),
    ]
}
