import JSON
import Model

/// The templates of a row: title and body by language, `collapse`, and the texts inside `data`.
struct NotificationTemplates: Sendable {
    /// The result of one rendering.
    struct Rendered {
        let texts: Localized<NotificationText>
        let collapse: String?
        let data: JSONValue
    }

    /// Indexes of the templates for one language in the two columns.
    private struct Pair: Sendable {
        let title: Int
        let body: Int
    }

    private let title: TextColumn
    private let body: TextColumn
    private let fallback: Pair
    private let byLanguage: [(language: LanguageTag, pair: Pair)]
    private let collapse: TextTemplate?
    private let data: DataTemplate

    /// Compiles the templates of a row.
    ///
    /// - Throws: ``TriggerProblem`` naming the column, and the language or member in it.
    init(_ row: TriggerDefinition) throws(TriggerProblem) {
        var roots = PathPattern.reserved.union(row.path.names).union(row.with.names)
        if row.hasReaderZone { roots.insert(ReaderZone.name) }
        let title = try TextColumn(row.title, field: "title", roots: roots)
        let body = try TextColumn(row.body, field: "body", roots: roots)
        // Each language of either column has a pair; `it-CH` takes a text that it lacks from `it`.
        let languages = title.languages.union(body.languages)
        func pair(_ language: LanguageTag?) -> Pair { Pair(title: title.index[language], body: body.index[language]) }
        self.title = title
        self.body = body
        fallback = pair(nil)
        byLanguage = languages.sorted { $0.text < $1.text }.map { ($0, pair($0)) }
        collapse = try row.collapse.map { text throws(TriggerProblem) in
            try TextTemplate(text, column: "collapse", roots: roots, forms: .plain)
        }
        data = try DataTemplate(.object(row.data), field: "data", roots: roots)
    }

    /// Renders everything for one change.
    ///
    /// - Throws: ``PatternProblem`` when the budget is used up, or the texts are empty.
    func render(_ context: TemplateContext) throws(PatternProblem) -> Rendered {
        let titles = title.templates.map { template in
            TextCut.line(
                template.render(context.values, budget: context.budget),
                charactersMax: Limits.titleCharactersMax
            )
        }
        let bodies = body.templates.map { template in
            TextCut.lines(
                template.render(context.values, budget: context.budget),
                charactersMax: Limits.bodyCharactersMax
            )
        }
        func text(_ pair: Pair) -> NotificationText {
            NotificationText(title: titles[pair.title], body: bodies[pair.body])
        }
        let texts = Localized(
            fallback: text(fallback),
            byLanguage: byLanguage.isEmpty
                ? [:]
                : Dictionary(
                    byLanguage.map { ($0.language, text($0.pair)) },
                    uniquingKeysWith: { first, _ in first }
                )
        )
        let collapse = collapse?.renderParts(context.values, budget: context.budget) ?? ""
        guard collapse.utf8.count <= TriggerLimits.collapseBytesMax else {
            throw PatternProblem("collapse became longer than \(TriggerLimits.collapseBytesMax) bytes")
        }
        let data = data.render(context)
        guard !context.budget.isSpent else {
            throw PatternProblem("the texts became too long; show fewer elements or shorter values")
        }
        guard data.bytes.count <= TriggerLimits.dataBytesMax else {
            throw PatternProblem("data became longer than \(TriggerLimits.dataBytesMax) bytes")
        }
        guard !texts.fallback.isEmpty, texts.byLanguage.values.allSatisfy({ !$0.isEmpty }) else {
            throw PatternProblem("title and body are empty")
        }
        return Rendered(texts: texts, collapse: collapse.isEmpty ? nil : collapse, data: data)
    }
}
