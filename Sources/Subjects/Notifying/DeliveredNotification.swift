import ClientProtocol
package import JSON
package import Model
package import Store
import Triggers

/// A stored notification in the form in which readers get it: an event, or an entry of the list.
///
/// - Confinement: any
package struct DeliveredNotification {
    package let entry: NotificationEntry
    private let texts: StoredTexts
    private let silence: Silence?

    /// - Parameter silence: why it does not interrupt its reader; nil for the reason in the row.
    /// - Throws: `StoredValueProblem` when the row is damaged.
    package init(_ entry: NotificationEntry, silence: Silence? = nil) throws {
        self.entry = entry
        self.silence = silence ?? entry.silence
        texts = try StoredTexts(parsing: entry.texts)
    }

    /// The same for a caller that has the texts already.
    init(_ entry: NotificationEntry, texts: StoredTexts) {
        self.entry = entry
        silence = entry.silence
        self.texts = texts
    }

    /// The event for a reader of `language`.
    package func event(in language: LanguageTag?) -> [UInt8] {
        encode(texts.texts[language])
    }

    /// The event in each of its languages, encoded once each.
    package var payload: Publication.Payload { payload(encode) }

    /// The same for those who are online: outside of the log, under another id.
    func payload(onlineAs id: String) -> Publication.Payload {
        payload { text in
            var body = body(text, isSeen: nil)
            body.id = id
            return Event.onlineNotification(body).json
        }
    }

    /// The event at a later position that gives it the words that it has now, in each of its languages.
    func editedPayload(at position: Position) -> Publication.Payload {
        payload { edited($0, at: position) }
    }

    /// The same for a reader of `language`.
    package func editedEvent(at position: Position, in language: LanguageTag?) -> [UInt8] {
        edited(texts.texts[language], at: position)
    }

    private func edited(_ text: NotificationText, at position: Position) -> [UInt8] {
        Event.notificationEdited(
            seq: position, id: entry.id, title: text.title, body: text.body, data: Array(entry.data.utf8)
        ).json
    }

    private func payload(_ encode: (NotificationText) -> [UInt8]) -> Publication.Payload {
        guard !texts.texts.byLanguage.isEmpty else { return .same(encode(texts.texts.fallback)) }
        return .localized(
            Localized(
                fallback: encode(texts.texts.fallback),
                byLanguage: texts.texts.byLanguage.mapValues(encode)
            )
        )
    }

    /// The entry of a list.
    package func write(in language: LanguageTag?, isSeen: Bool, to writer: inout JSONWriter) {
        writer.beginObject()
        writeMembers(in: language, isSeen: isSeen, to: &writer)
        writer.endObject()
    }

    /// The members of such an entry, into the object that is open.
    ///
    /// - Parameter kindName: the name of the member for its kind.
    package func writeMembers(
        in language: LanguageTag?, isSeen: Bool, to writer: inout JSONWriter, naming kindName: String = "kind"
    ) {
        writer.member("seq", entry.position.value)
        body(texts.texts[language], isSeen: isSeen).write(to: &writer, naming: kindName)
    }

    private func encode(_ text: NotificationText) -> [UInt8] {
        Event.notification(seq: entry.position, body(text, isSeen: nil)).json
    }

    private func body(_ text: NotificationText, isSeen: Bool?) -> NotificationBody {
        var body = NotificationBody(
            id: entry.id,
            kind: entry.kind,
            level: entry.level,
            title: text.title,
            body: text.body,
            data: Array(entry.data.utf8),
            topic: entry.topic,
            at: entry.at
        )
        body.expires = entry.expires
        body.collapse = entry.collapse
        body.silence = silence
        body.isSeen = isSeen
        body.others = entry.others
        return body
    }
}
