package import Model

/// Reads the dates of feeds and of HTTP.
///
/// A date counts if every word of it is understood, and in one way only: a date that is wrong by hours notifies people of something old,
/// or of the wrong day, and one that is absent does neither.
///
/// - Confinement: any
package enum FeedDate {
    /// The longest date ends with the name of its zone in words.
    private static let charactersMax = 100

    /// Reads RFC 3339, RFC 822 and its successors, and what programs write in their place; nil for other texts.
    ///
    /// These are also read: offsets without a colon or after `GMT`, the month before the day, AM and PM, a date alone, `24:00:00`, names of
    /// months in ten languages, a number of seconds or milliseconds since 1970. Without a zone the time counts as UTC.
    package static func read(_ text: String) -> Timestamp? {
        let text = PlainText.cut(text, to: charactersMax)
        if let time = Timestamp(text) { return time }
        if let time = number(text) { return time }
        var words = DateWords()
        for word in parts(of: text) {
            guard words.take(word) else { return nil }
        }
        return words.time
    }

    /// Ten digits are seconds since 1970 and thirteen are milliseconds, from the year 2001 on; eight digits are a day.
    private static func number(_ text: String) -> Timestamp? {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int64(text) else { return nil }
        switch text.utf8.count {
        case 8:
            return CivilDate(year: number / 10_000, month: number / 100 % 100, day: number % 100)
                .map { Timestamp(seconds: $0.daysSince1970 * 86_400) }
        case 10: return number >= 1_000_000_000 ? Timestamp(seconds: number) : nil
        case 13: return number >= 1_000_000_000_000 ? Timestamp(milliseconds: number) : nil
        default: return nil
        }
    }

    /// The words between blanks and commas, without comments in parentheses (RFC 5322 section 3.2.2).
    private static func parts(of text: String) -> [Substring] {
        var plain = ""
        var depth = 0
        for character in text {
            switch character {
            case "(": depth += 1
            case ")" where depth > 0: depth -= 1
            // The minus sign of typography.
            case "\u{2212}" where depth == 0: plain.append("-")
            case _ where depth == 0: plain.append(character)
            default: continue
            }
        }
        return plain.split { $0.isWhitespace || $0 == "," }
    }
}
