import JSON
package import Model

/// The `digest` column of a row: title and body of a digest that contains only notifications of the row's kind.
///
/// Its templates see `count`, `titles` (the newest few, in the reader's language), and `id` and `name` of the topic
/// that all notifications are about. `id` and `name` are absent when there are several topics, and `name` when the
/// topic's document has none.
///
/// - Confinement: any
package struct DigestTexts: Sendable, Hashable {
    let title: TextByLanguage
    let body: TextByLanguage

    /// The words that tags may begin with.
    static let roots: Set<String> = ["count", "id", "name", "titles"]
    private static let titleLines = "{{#titles}}{{.}}\n{{/titles}}"

    /// Reads the column.
    ///
    /// - Throws: ``TriggerProblem`` naming the member.
    init(json: JSONValue) throws(TriggerProblem) {
        guard let object = json.objectValue else {
            throw TriggerProblem(field: "digest", message: "must be an object with title and, if wanted, body")
        }
        for (name, _) in object.members where name != "title" && name != "body" {
            throw TriggerProblem(field: "digest.\(name)", message: "the texts of a digest are title and body")
        }
        guard let title = object["title"] else {
            throw TriggerProblem(field: "digest.title", message: "is missing")
        }
        self.title = try TextByLanguage(json: title, field: "digest.title")
        body =
            try object["body"].map { json throws(TriggerProblem) in
                try TextByLanguage(json: json, field: "digest.body")
            } ?? .one(Self.titleLines)
        _ = try DigestTemplates(self)
    }

    fileprivate init(byLanguage titles: [(language: String, title: String)]) {
        title = .several(
            titles.compactMap { language, title in
                LanguageTag(language).map { TextByLanguage.Entry(language: $0, text: title) }
            })
        body = .one(Self.titleLines)
    }

    var json: JSONValue { .object(["title": title.json, "body": body.json]) }

    fileprivate func templates() throws(TriggerProblem) -> (title: TextColumn, body: TextColumn) {
        (
            try TextColumn(title, field: "digest.title", roots: Self.roots),
            try TextColumn(body, field: "digest.body", roots: Self.roots)
        )
    }
}

/// The texts of a digest, ready to be rendered.
///
/// - Confinement: any
package struct DigestTemplates: Sendable {
    private let title: TextColumn
    private let body: TextColumn

    /// - Throws: ``TriggerProblem`` for a template that cannot be read.
    init(_ texts: DigestTexts) throws(TriggerProblem) { (title, body) = try texts.templates() }

    /// The texts in each language that a template is written in.
    ///
    /// - Parameters:
    ///   - count: The number of notifications in the digest.
    ///   - id: The topic that all of them are about; nil when there are several.
    ///   - name: The name of that topic; nil when it is not known.
    ///   - titles: The titles to show, by language; nil stands for a reader for whom no template is written.
    /// - Returns: nil when the templates render nothing.
    package func render(
        count: Int, id: String?, name: String?, titles: (LanguageTag?) -> [String]
    ) -> Localized<NotificationText>? {
        func text(_ language: LanguageTag?) -> NotificationText {
            let values: JSONObject = [
                "count": .integer(Int64(count)), "id": id.map { .string($0) } ?? .null,
                "name": name.map { .string($0) } ?? .null,
                "titles": .array(titles(language).map { .string($0) }),
            ]
            let budget = RenderBudget()
            return NotificationText(
                title: TextCut.line(
                    title[language].render(values, budget: budget), charactersMax: Limits.titleCharactersMax),
                body: TextCut.lines(
                    body[language].render(values, budget: budget), charactersMax: Limits.bodyCharactersMax)
            )
        }
        let languages = title.languages.union(body.languages)
        let texts = Localized(
            fallback: text(nil),
            byLanguage: Dictionary(uniqueKeysWithValues: languages.map { ($0, text($0)) })
        )
        return texts.fallback.isEmpty || texts.byLanguage.values.contains(where: \.isEmpty) ? nil : texts
    }
}

// MARK: - The server's own words

extension DigestTemplates {
    /// For notifications collected since the last digest.
    package static let new = own([
        ("en", plural("new", one: "notification", other: "notifications")),
        ("de", plural("neue", one: "Mitteilung", other: "Mitteilungen")),
        ("el", plural("", one: "νέα ειδοποίηση", other: "νέες ειδοποιήσεις")),
        ("it", plural("", one: "nuova notifica", other: "nuove notifiche")),
        (
            "pl",
            plural("", one: "nowe powiadomienie", few: "nowe powiadomienia", other: "nowych powiadomień")
        ),
        ("tr", plural("yeni", one: "bildirim", other: "bildirim")),
    ])

    /// For notifications that quiet hours held back.
    package static let away = own([
        ("en", plural("", one: "notification", other: "notifications", "while you were away")),
        ("de", plural("", one: "Mitteilung", other: "Mitteilungen", "während deiner Abwesenheit")),
        ("el", plural("", one: "ειδοποίηση", other: "ειδοποιήσεις", "όσο λείπατε")),
        ("it", plural("", one: "notifica", other: "notifiche", "mentre non c’eri")),
        (
            "pl",
            plural("", one: "powiadomienie,", few: "powiadomienia,", other: "powiadomień,", "gdy Cię nie było")
        ),
        ("tr", plural("", one: "bildirim geldi", other: "bildirim geldi", "sen yokken")),
    ])

    private static func own(_ titles: [(language: String, title: String)]) -> DigestTemplates {
        do { return try DigestTemplates(DigestTexts(byLanguage: titles)) } catch {
            preconditionFailure("a digest's own words: \(error)")
        }
    }

    /// The name and a colon where there is a name, then the number and its noun in a language's plural forms.
    private static func plural(
        _ before: String, one: String, few: String? = nil, other: String, _ after: String = ""
    ) -> String {
        let few = few.map { "{{#few}}\($0){{/few}}" } ?? ""
        return "{{#name}}{{name}}: {{/name}}{{count}} \(before.isEmpty ? "" : before + " ")"
            + "{{#plural(count)}}{{#one}}\(one){{/one}}\(few){{#other}}\(other){{/other}}{{/plural(count)}}"
            + (after.isEmpty ? "" : " " + after)
    }
}
