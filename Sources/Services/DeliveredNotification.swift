package import ClientProtocol
package import JSON
package import Model
package import Store

/// A stored notification in the form in which readers get it: an event, or an entry of the list.
///
/// - Confinement: any
package struct DeliveredNotification {
    package let entry: NotificationEntry
    private let texts: StoredTexts
    private let data: JSONObject

    /// - Throws: `StoredValueProblem` when the row is damaged.
    package init(_ entry: NotificationEntry) throws {
        self.entry = entry
        texts = try StoredTexts(parsing: entry.texts)
        data = try StoredJSON.object(entry.data, place: "notifications.data")
    }

    /// The event for a reader of `language`.
    package func event(in language: LanguageTag?) -> [UInt8] {
        encode(texts.texts[language])
    }

    /// The event in every language it has, each encoded once.
    package var payload: Publication.Payload {
        guard !texts.texts.byLanguage.isEmpty else { return .same(encode(texts.texts.fallback)) }
        return .localized(
            Localized(
                fallback: encode(texts.texts.fallback), byLanguage: texts.texts.byLanguage.mapValues { encode($0) }))
    }

    /// The entry of a list.
    package func write(in language: LanguageTag?, isSeen: Bool, to writer: inout JSONWriter) {
        let text = texts.texts[language]
        writer.beginObject()
        writer.member("seq", entry.position.value)
        writer.member("id", entry.id)
        writer.member("kind", entry.kind)
        writer.member("level", entry.level.rawValue)
        writer.member("title", text.title)
        writer.member("body", text.body)
        writer.member("data", .object(data))
        writer.member("topic", entry.topic)
        writer.member("at", entry.at.text)
        if let expires = entry.expires { writer.member("expires", expires.text) }
        if let collapse = entry.collapse { writer.member("collapse", collapse) }
        writer.member("seen", isSeen)
        writer.endObject()
    }

    private func encode(_ text: StoredTexts.Text) -> [UInt8] {
        Event.Notification(
            seq: entry.position, id: entry.id, kind: entry.kind, level: entry.level, title: text.title,
            body: text.body, data: .object(data), topic: entry.topic, at: entry.at, expires: entry.expires,
            collapse: entry.collapse
        ).bytes
    }
}
