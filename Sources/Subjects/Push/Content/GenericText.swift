import Model

/// The words of a push whose content is hidden. Another language needs one entry in each table; the languages are those
/// in which the server writes its own digests.
///
/// - Confinement: any
struct GenericText: Sendable, Hashable {
    let title: String
    let language: LanguageTag?

    /// The text in each language; English for all others.
    static func of(isMessage: Bool) -> Localized<GenericText> { isMessage ? message : notification }

    private static let message = table([
        ("en", "New message"), ("de", "Neue Nachricht"), ("el", "Νέο μήνυμα"), ("it", "Nuovo messaggio"),
        ("pl", "Nowa wiadomość"), ("tr", "Yeni mesaj"),
    ])

    private static let notification = table([
        ("en", "New notification"), ("de", "Neue Mitteilung"), ("el", "Νέα ειδοποίηση"), ("it", "Nuova notifica"),
        ("pl", "Nowe powiadomienie"), ("tr", "Yeni bildirim"),
    ])

    /// The first text is for readers of other languages.
    private static func table(_ titles: [(language: String, title: String)]) -> Localized<GenericText> {
        let texts = titles.map { GenericText(title: $0.title, language: LanguageTag($0.language)) }
        var byLanguage: [LanguageTag: GenericText] = [:]
        for text in texts { if let language = text.language { byLanguage[language] = text } }
        return Localized(fallback: texts[0], byLanguage: byLanguage)
    }
}
