import JSON
package import Model
import Store
package import Triggers

/// The texts of a notification as the database keeps them: `{"": {"title", "body"}, "it": {…}}`, "" for any language
/// that is not listed.
///
/// - Confinement: any
package struct StoredTexts: Sendable, Hashable {
    package let texts: Localized<NotificationText>

    package init(_ texts: Localized<NotificationText>) { self.texts = texts }

    /// - Throws: `StoredValueProblem` when the text is not of the form: the file is damaged.
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

    package var json: String { jsonValue.text }

    var jsonValue: JSONValue {
        var object = JSONObject()
        object[""] = Self.json(texts.fallback)
        for (tag, text) in texts.byLanguage.sorted(by: { $0.key.text < $1.key.text }) {
            object[tag.text] = Self.json(text)
        }
        return .object(object)
    }

    private static func json(_ text: NotificationText) -> JSONValue {
        ["title": .string(text.title), "body": .string(text.body)]
    }
}
