import JSON
import Model

/// The templates of a row: title and body by language, `collapse`, and the texts inside `data`.
struct NotificationTemplates: Sendable {
    /// What one rendering came to.
    struct Rendered {
        let texts: Localized<NotificationText>
        let collapse: String?
        let data: JSONValue
    }

    private struct Pair: Sendable {
        let title: TextTemplate
        let body: TextTemplate
    }

    private let fallback: Pair
    private let byLanguage: [(language: LanguageTag, pair: Pair)]
    private let collapse: TextTemplate?
    private let data: DataTemplate

    /// Compiles the templates of a row.
    ///
    /// - Throws: ``TriggerProblem`` naming the column, and the language or member in it.
    init(_ row: TriggerDefinition) throws(TriggerProblem) {
        let roots = PathPattern.reserved.union(row.path.names)
        func compiled(_ field: String, _ column: TextByLanguage) throws(TriggerProblem) -> Localized<Int> {
            var entries: [(LanguageTag, Int)] = []
            for (field, text) in column.texts(field: field) { try templates.append(Self.template(text, field, roots)) }
            let first = templates.count - column.texts(field: field).count
            guard case .several(let texts) = column else { return Localized(fallback: first) }
            for (index, entry) in texts.enumerated() { entries.append((entry.language, first + index)) }
            let fallback = texts.firstIndex { $0.language.text == "en" } ?? 0
            return Localized(
                fallback: first + fallback,
                byLanguage: Dictionary(entries, uniquingKeysWith: { first, _ in first })
            )
        }
        var templates: [TextTemplate] = []
        let title = try compiled("title", row.title)
        let body = try compiled("body", row.body)
        // Each language of either column has a pair; `it-CH` beside `it` takes what it lacks from there.
        let languages = Set(title.byLanguage.keys).union(body.byLanguage.keys).sorted { $0.text < $1.text }
        func pair(_ language: LanguageTag?) -> Pair {
            Pair(title: templates[title[language]], body: templates[body[language]])
        }
        fallback = pair(nil)
        byLanguage = languages.map { ($0, pair($0)) }
        collapse = try row.collapse.map { text throws(TriggerProblem) in try Self.template(text, "collapse", roots) }
        data = try DataTemplate(.object(row.data), field: "data", roots: roots)
    }

    private static func template(
        _ text: String,
        _ field: String,
        _ roots: Set<String>
    ) throws(TriggerProblem) -> TextTemplate {
        do { return try TextTemplate(text, roots: roots) } catch { throw TriggerProblem(field, error) }
    }

    /// Renders everything for one change.
    ///
    /// - Throws: ``PatternProblem`` when the budget is spent, or there is nothing left to read.
    func render(_ context: TemplateContext) throws(PatternProblem) -> Rendered {
        let texts = Localized(
            fallback: text(fallback, context),
            byLanguage: Dictionary(
                byLanguage.map { ($0.language, text($0.pair, context)) },
                uniquingKeysWith: { first, _ in first }
            )
        )
        let collapse = collapse.map {
            TextCut.bytes($0.render(context.values, budget: context.budget), max: TriggerLimits.collapseBytesMax)
        }
        let data = data.render(context)
        guard !context.budget.isSpent else { throw PatternProblem("the templates put out too much") }
        guard data.bytes.count <= TriggerLimits.dataBytesMax else {
            throw PatternProblem("data came to more than \(TriggerLimits.dataBytesMax) bytes")
        }
        guard ([texts.fallback] + texts.byLanguage.values).allSatisfy({ !$0.title.isEmpty || !$0.body.isEmpty }) else {
            throw PatternProblem("title and body came to nothing")
        }
        return Rendered(texts: texts, collapse: collapse?.isEmpty == true ? nil : collapse, data: data)
    }

    private func text(_ pair: Pair, _ context: TemplateContext) -> NotificationText {
        NotificationText(
            title: TextCut.line(
                pair.title.render(context.values, budget: context.budget),
                charactersMax: Limits.titleCharactersMax
            ),
            body: TextCut.lines(
                pair.body.render(context.values, budget: context.budget),
                charactersMax: Limits.bodyCharactersMax
            )
        )
    }
}
