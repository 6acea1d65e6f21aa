import Model

/// Parts of a row's texts that may not be meant: forms that their languages do not have, or that nobody knows here.
///
/// - Confinement: any
package enum LanguageDoubts {
    /// A sentence for each text of the row that has such a form.
    package static func of(_ row: TriggerDefinition) -> [String] {
        var texts = row.title.texts(field: "title") + row.body.texts(field: "body")
        if let digest = row.digest {
            texts += digest.title.texts(field: "digest.title") + digest.body.texts(field: "digest.body")
        }
        let roots = PathPattern.reserved.union(row.path.names).union(row.with.names)
            .union(DigestTexts.roots).union([ReaderZone.name])
        return texts.flatMap { field, language, text in
            doubts(of: LanguageUse(of: text, roots), in: language).map { "\(field): \($0)" }
        }
    }

    private static func doubts(of use: LanguageUse, in language: LanguageTag?) -> [String] {
        let name = language?.text ?? "en"
        var doubts: [String] = []
        if use.hasPlural {
            if let rule = PluralRule.of(language) {
                let never = use.categories.subtracting(rule.categories).subtracting([PluralCategory.other])
                let has = (rule.categories + [PluralCategory.other]).map(\.rawValue).joined(separator: ", ")
                for category in never.sorted(by: { $0.rawValue < $1.rawValue }) {
                    doubts.append(
                        "\(name) has no plural form \(category.rawValue), so its text is never shown; it has \(has)")
                }
            } else {
                doubts.append("no plural forms are known for \(name), so the text of other is always shown")
            }
        }
        if use.isWritten, LanguageForms.known(language) == nil {
            doubts.append(
                "it is not known how \(name) writes numbers, dates and times, so they are shown as 1234.5, 2026-08-15 and 21:30"
            )
        }
        return doubts
    }
}

/// The things that a template asks of its language.
///
/// - Confinement: any
private struct LanguageUse {
    private(set) var hasPlural = false
    private(set) var categories: Set<PluralCategory> = []
    /// Whether it writes a number, a date or a time.
    private(set) var isWritten = false

    /// - Parameter roots: the words that its tags may begin with.
    init(of text: String, _ roots: Set<String>) {
        // The row was read before, so its templates have the right form.
        guard let parts = try? TemplateParser.parse(text, roots: roots) else { return }
        add(parts, isPlural: false)
    }

    private mutating func add(_ parts: [TemplatePart], isPlural: Bool) {
        for part in parts {
            switch part {
            case .text: continue
            case .variable(let reference): note(reference)
            case .section(let reference, _, let inner):
                note(reference)
                if isPlural, reference.functions.isEmpty, reference.names.count == 1,
                    let category = PluralCategory(rawValue: reference.names[0])
                {
                    categories.insert(category)
                }
                let isOfPlural = reference.functions.contains(.plural)
                if isOfPlural { hasPlural = true }
                add(inner, isPlural: isOfPlural)
            }
        }
    }

    private mutating func note(_ reference: TemplateReference) {
        isWritten =
            isWritten
            || reference.functions.contains { function in
                switch function {
                case .number, .date, .time: true
                case .plural, .general: false
                }
            }
    }
}
