package import JSON
package import Model
package import Store

/// The texts of a notification as the database keeps them: `{"": {"title", "body"}, "it": {…}}`, "" for any language
/// that is not listed.
///
/// - Confinement: any
package struct StoredTexts: Sendable, Hashable {
    package struct Text: Sendable, Hashable {
        package let title: String
        package let body: String

        package init(title: String, body: String) {
            self.title = title
            self.body = body
        }
    }

    package let texts: Localized<Text>

    package init(_ texts: Localized<Text>) { self.texts = texts }

    /// - Throws: `StoredValueProblem` when the text is not of the form: the file is damaged.
    package init(parsing stored: String) throws {
        var fallback = Text(title: "", body: "")
        var byLanguage: [LanguageTag: Text] = [:]
        for (name, value) in try StoredJSON.object(stored, place: "notifications.texts").members {
            let text = Text(title: value["title"]?.stringValue ?? "", body: value["body"]?.stringValue ?? "")
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

    private static func json(_ text: Text) -> JSONValue {
        ["title": .string(text.title), "body": .string(text.body)]
    }
}
