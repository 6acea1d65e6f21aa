package import Model

extension CommittedStep {
    /// The step as a text, to compare it. The texts by language come in a fixed order, since a dictionary has none.
    package var inFull: String {
        var text = ""
        guard case .publication(let publication) = self, case .localized(let texts) = publication.payload else {
            dump(self, to: &text)
            return text
        }
        for child in Mirror(reflecting: publication).children where child.label != "payload" {
            dump(child.value, to: &text, name: child.label)
        }
        dump(texts.fallback, to: &text)
        for (language, json) in texts.byLanguage.sorted(by: { $0.key.text < $1.key.text }) {
            dump(json, to: &text, name: language.text)
        }
        return text
    }
}
