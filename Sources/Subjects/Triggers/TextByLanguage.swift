package import JSON
package import Model

/// The title or body column of a row: one text, or texts by language in the order they were written.
///
/// A reader whose language is missing gets the text in `en`, or else the first one.
///
/// - Confinement: any
package enum TextByLanguage: Sendable, Hashable {
    case one(String)
    /// At least one entry.
    case several([Entry])

    /// A language and its text.
    package struct Entry: Sendable, Hashable {
        package let language: LanguageTag
        package let text: String
    }

    /// Reads the column.
    ///
    /// - Throws: ``TriggerProblem`` naming `field` or the language inside it.
    package init(json: JSONValue, field: String) throws(TriggerProblem) {
        if let text = json.stringValue {
            self = .one(text)
            return
        }
        guard let object = json.objectValue, !object.isEmpty, object.count <= TriggerLimits.languagesMax else {
            throw TriggerProblem(
                field: field,
                message: "must be a text, or an object of 1 to \(TriggerLimits.languagesMax) texts by language"
            )
        }
        var entries: [Entry] = []
        for (name, value) in object.members {
            guard let language = LanguageTag(name) else {
                throw TriggerProblem(field: "\(field).\(name)", message: "a language is \(LanguageTag.form)")
            }
            guard let text = value.stringValue else {
                throw TriggerProblem(field: "\(field).\(name)", message: "must be a text")
            }
            guard !entries.contains(where: { $0.language == language }) else {
                throw TriggerProblem(field: "\(field).\(name)", message: "\(language) is there twice")
            }
            entries.append(Entry(language: language, text: text))
        }
        self = .several(entries)
    }

    /// Refuses a text that shows nothing, when a row is put: rows of earlier versions may have one.
    ///
    /// - Throws: ``TriggerProblem`` naming `field` or the language inside it.
    package func checkVisible(field: String) throws(TriggerProblem) {
        for (field, _, text) in texts(field: field) where !ShownText.isVisible(text) {
            throw TriggerProblem(field: field, message: "\(ShownText.rule), and a notification needs a title")
        }
    }

    /// The column as JSON.
    package var json: JSONValue {
        switch self {
        case .one(let text): .string(text)
        case .several(let entries):
            .object(JSONObject(entries.map { (name: $0.language.text, value: .string($0.text)) }))
        }
    }

    /// All texts with the names of their columns and their languages.
    func texts(field: String) -> [(field: String, language: LanguageTag?, text: String)] {
        switch self {
        case .one(let text): [(field, nil, text)]
        case .several(let entries): entries.map { ("\(field).\($0.language.text)", $0.language, $0.text) }
        }
    }
}
