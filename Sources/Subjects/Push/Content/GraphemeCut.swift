/// Shortens texts between two characters, never inside one.
///
/// - Confinement: any
enum GraphemeCut {
    private static let ellipsis = "…"

    /// The text, or its beginning and an ellipsis; at most `charactersMax` characters and, if given, `bytesMax` bytes of
    /// UTF-8 with the ellipsis, which takes 3.
    static func cut(_ text: String, charactersMax: Int, bytesMax: Int = .max) -> String {
        if text.utf8.count <= min(charactersMax, bytesMax) { return text }
        var characters = 0
        var bytes = 0
        // Where the text is cut if a later character does not fit.
        var end = text.startIndex
        for index in text.indices {
            if characters < charactersMax, bytes <= bytesMax - ellipsis.utf8.count { end = index }
            characters += 1
            bytes += text[index].utf8.count
            guard characters <= charactersMax, bytes <= bytesMax else {
                var kept = text[..<end]
                while kept.last?.isWhitespace == true { kept.removeLast() }
                return kept + ellipsis
            }
        }
        return text
    }
}
