import ClientProtocol
import Execution
import JSON
import Model
import Store
import Triggers

/// Notifications of a user that were collected, and are listed in one notification.
///
/// - Confinement: store (the writer's thread)
struct Digest {
    /// The kind of the notification that lists them.
    static let kind = NotificationFacts.digestKind

    let subject: DigestSubject
    /// The notifications, newest first.
    private(set) var entries: [NotificationEntry] = []

    init(_ subject: DigestSubject, telling entries: [NotificationEntry]) {
        self.subject = subject
        self.entries = entries
    }

    /// Collects unread notifications after a position. It leaves out those that only bring an earlier one up to date
    /// that the user has got or read: a correction interrupts nobody.
    init(
        _ subject: DigestSubject,
        of user: UserEntry,
        since position: Position,
        preferences: DeliveryPreferences,
        in context: WriteContext
    ) throws {
        self.subject = subject
        let transaction = context.transaction
        var decision = DeliveryDecision(of: user, in: transaction.reading)
        let wanted: Silence = subject == .quietHours ? .quietHours : .digest
        var before = Position(Position.bound)
        // There may be many other unread notifications before them.
        for _ in 0..<PreferenceLimits.digestPagesMax {
            let page = try transaction.notifications.page(
                of: user,
                before: before,
                after: position,
                onlyUnread: true,
                at: context.now,
                limit: PreferenceLimits.digestCountMax
            )
            // Each decision takes some look-ups.
            context.engine.meter.charge(page.count * TriggerLimits.rowWork / 2)
            for entry in page where try decision.reason(for: entry) == wanted {
                if wanted == .digest {
                    let facts = try NotificationFacts(entry, isPersonal: false, in: transaction.reading)
                    guard preferences.digest(of: facts)?.subject == subject else { continue }
                }
                if let origin = entry.origin {
                    guard try origin > position && !transaction.notifications.isSeen(origin, by: user) else { continue }
                }
                entries.append(entry)
                guard entries.count < PreferenceLimits.digestCountMax else { return }
            }
            guard page.count == PreferenceLimits.digestCountMax, let last = page.last else { return }
            before = last.position
        }
    }

    /// The `collapse` by which it replaces the digest before.
    static func collapse(of subject: DigestSubject) -> String { collapsePrefix + subject.name }

    /// The subject of a digest with this `collapse`; nil when it is that of another notification.
    static func subject(ofCollapse text: String) -> DigestSubject? {
        text.hasPrefix(collapsePrefix) ? DigestSubject(String(text.dropFirst(collapsePrefix.count))) : nil
    }

    private static let collapsePrefix = "digest:"

    /// The notification that lists them.
    func draft(for user: UserEntry, in context: WriteContext) throws -> NotificationDraft {
        NotificationDraft(
            kind: Self.kind,
            level: .active,
            texts: StoredTexts(try texts(for: user, in: context)),
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
}
