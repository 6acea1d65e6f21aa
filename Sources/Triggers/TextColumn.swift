import JSON
import Model

/// The templates of a column of texts, and which of them a language has.
struct TextColumn: Sendable {
    /// In the order of the column.
    private(set) var templates: [TextTemplate] = []
    /// Where among them the one of a language is: for a language that is not there that of English, else the first.
    private(set) var index = Localized(fallback: 0)

    /// Compiles a column.
    ///
    /// - Parameters:
    ///   - field: its name, for what is wrong in it.
    ///   - roots: the words a tag outside of sections may begin with.
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

    /// The languages that have a template of their own.
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
