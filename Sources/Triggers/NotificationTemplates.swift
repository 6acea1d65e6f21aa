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

    /// Where the texts of one language are among the columns' templates.
    private struct Pair: Sendable {
        let title: Int
        let body: Int
    }

    /// A column of texts: its templates in their order, and which one a language has.
    private struct Column: Sendable {
        var templates: [TextTemplate] = []
        var index = Localized(fallback: 0)

        init(_ column: TextByLanguage, field: String, roots: Set<String>) throws(TriggerProblem) {
            for (field, language, text) in column.texts(field: field) {
                templates.append(try NotificationTemplates.template(text, field, roots, .of(language)))
            }
            guard case .several(let entries) = column else { return }
            index = Localized(
                fallback: entries.firstIndex { $0.language.text == "en" } ?? 0,
                byLanguage: Dictionary(
                    entries.enumerated().map { ($1.language, $0) },
                    uniquingKeysWith: { first, _ in first }
                )
            )
        }
    }

    private let title: Column
    private let body: Column
    private let fallback: Pair
    private let byLanguage: [(language: LanguageTag, pair: Pair)]
    private let collapse: TextTemplate?
    private let data: DataTemplate

    /// Compiles the templates of a row.
    ///
    /// - Throws: ``TriggerProblem`` naming the column, and the language or member in it.
    init(_ row: TriggerDefinition) throws(TriggerProblem) {
        let roots = PathPattern.reserved.union(row.path.names).union(row.with.names)
        let title = try Column(row.title, field: "title", roots: roots)
        let body = try Column(row.body, field: "body", roots: roots)
        // Each language of either column has a pair; `it-CH` beside `it` takes what it lacks from there.
        let languages = Set(title.index.byLanguage.keys).union(body.index.byLanguage.keys)
        func pair(_ language: LanguageTag?) -> Pair { Pair(title: title.index[language], body: body.index[language]) }
        self.title = title
        self.body = body
        fallback = pair(nil)
        byLanguage = languages.sorted { $0.text < $1.text }.map { ($0, pair($0)) }
        collapse = try row.collapse.map { text throws(TriggerProblem) in
            try Self.template(text, "collapse", roots, .plain)
        }
        data = try DataTemplate(.object(row.data), field: "data", roots: roots)
    }

    private static func template(
        _ text: String,
        _ field: String,
        _ roots: Set<String>,
        _ forms: LanguageForms
    ) throws(TriggerProblem) -> TextTemplate {
        do { return try TextTemplate(text, roots: roots, forms: forms) } catch { throw TriggerProblem(field, error) }
    }

    /// Renders everything for one change.
    ///
    /// - Throws: ``PatternProblem`` when the budget is spent, or there is nothing left to read.
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
        let collapse = collapse?.render(context.values, budget: context.budget) ?? ""
        guard collapse.utf8.count <= TriggerLimits.collapseBytesMax else {
            throw PatternProblem("collapse came to more than \(TriggerLimits.collapseBytesMax) bytes")
        }
        let data = data.render(context)
        guard !context.budget.isSpent else { throw PatternProblem("the templates put out too much") }
        guard data.bytes.count <= TriggerLimits.dataBytesMax else {
            throw PatternProblem("data came to more than \(TriggerLimits.dataBytesMax) bytes")
        }
        guard !texts.fallback.isEmpty, texts.byLanguage.values.allSatisfy({ !$0.isEmpty }) else {
            throw PatternProblem("title and body came to nothing")
        }
        return Rendered(texts: texts, collapse: collapse.isEmpty ? nil : collapse, data: data)
    }
}
