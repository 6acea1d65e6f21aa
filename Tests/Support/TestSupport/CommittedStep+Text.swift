package import Model

extension CommittedStep {
    /// The step as a text, to compare it. The texts by language come in a fixed order, since a dictionary has none.
    package var inFull: String {
        switch self {
        case .publication(let publication): Self.text(of: publication, publication.payload)
        case .change(.online(let notice)): Self.text(of: notice, notice.payload)
        case .change: Self.text(of: self, nil)
        }
    }

    private static func text(of event: Any, _ payload: Publication.Payload?) -> String {
        var text = ""
        guard case .localized(let texts)? = payload else {
            dump(event, to: &text)
            return text
        }
        for child in Mirror(reflecting: event).children where child.label != "payload" {
            dump(child.value, to: &text, name: child.label)
        }
        dump(texts.fallback, to: &text)
        for (language, json) in texts.byLanguage.sorted(by: { $0.key.text < $1.key.text }) {
            dump(json, to: &text, name: language.text)
        }
        return text
    }
}
