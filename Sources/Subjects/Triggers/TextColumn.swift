import Model

/// The templates of a text column, and the one that each language uses.
struct TextColumn: Sendable {
    /// In the order of the column.
    private(set) var templates: [TextTemplate] = []
    /// The index of each language's template; a missing language uses the English one, or else the first.
    private(set) var index = Localized(fallback: 0)

    /// Compiles a column.
    ///
    /// - Parameters:
    ///   - field: The column's name, for messages.
    ///   - roots: The words that a tag outside of sections may begin with.
    /// - Throws: ``TriggerProblem`` naming the column, and the language in it.
    init(_ column: TextByLanguage, field: String, roots: Set<String>) throws(TriggerProblem) {
        for (field, language, text) in column.texts(field: field) {
            templates.append(try TextTemplate(text, column: field, roots: roots, forms: .of(language)))
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

    /// The languages with a template of their own.
    var languages: Set<LanguageTag> { Set(index.byLanguage.keys) }

    /// The template for a language.
    subscript(_ language: LanguageTag?) -> TextTemplate { templates[index[language]] }
}

extension TextTemplate {
    /// Reads a template of a row.
    ///
    /// - Throws: ``TriggerProblem`` naming the column.
    init(_ text: String, column: String, roots: Set<String>, forms: LanguageForms) throws(TriggerProblem) {
        do { try self.init(text, roots: roots, forms: forms) } catch { throw TriggerProblem(column, error) }
    }
}
