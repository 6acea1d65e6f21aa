import Execution
package import JSON
package import Model
import Store
package import Triggers

/// The texts of a notification as the database keeps them: `{"": {"title", "body"}, "it": {…}}`, "" for all other
/// languages.
///
/// - Confinement: any
package struct StoredTexts: Sendable, Hashable {
    package let texts: Localized<NotificationText>

    /// The texts of a notification whose words are gone.
    package static let none = StoredTexts(Localized(fallback: NotificationText(title: "", body: ""), byLanguage: [:]))

    package init(_ texts: Localized<NotificationText>) { self.texts = texts }

    /// - Throws: `StoredValueProblem` when the text has another form: the file is damaged.
    package init(parsing stored: String) throws {
        var fallback = NotificationText(title: "", body: "")
        var byLanguage: [LanguageTag: NotificationText] = [:]
        for (name, value) in try StoredJSON.object(stored, place: "notifications.texts").members {
            let text = NotificationText(
                title: value["title"]?.stringValue ?? "",
                body: value["body"]?.stringValue ?? ""
            )
            if let tag = LanguageTag(name) { byLanguage[tag] = text } else { fallback = text }
        }
        texts = Localized(fallback: fallback, byLanguage: byLanguage)
    }

    package var json: String {
        var writer = JSONWriter()
        writer.beginObject()
        for (name, text) in named {
            writer.name(name)
            writer.beginObject()
            writer.member("title", text.title)
            writer.member("body", text.body)
            writer.endObject()
        }
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    package var jsonValue: JSONValue {
        .object(
            JSONObject(
                distinct: named.map { name, text in
                    (name, ["title": .string(text.title), "body": .string(text.body)])
                }))
    }

    private var named: [(name: String, text: NotificationText)] {
        let fallback = [(name: "", text: texts.fallback)]
        guard !texts.byLanguage.isEmpty else { return fallback }
        return fallback + texts.byLanguage.map { ($0.key.text, $0.value) }.sorted { $0.name < $1.name }
    }
}

extension NotificationEntry {
    /// Whether its words are gone: they were taken out by a deletion or an erasure.
    package var isBlank: Bool { texts == StoredTexts.none.json }
}
