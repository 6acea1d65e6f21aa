import Model

/// How a language writes counts, numbers, dates and times: the part of CLDR that texts of notifications need.
///
/// These are our own tables and not ICU's formatters, because the same text must come out on every machine and in every
/// replay, whatever its version of ICU; and they take a fraction of the time. A test compares them with ICU.
///
/// The defaults of the properties are the most frequent forms, so that a language names only its own.
///
/// - Confinement: any
struct LanguageForms: Sendable, Hashable {
    /// How a clock is read.
    enum Clock: Sendable, Hashable {
        /// `09:30`
        case hours24
        /// `09.30`
        case hours24Point
        /// `9:30`
        case hours24Short
        /// `9.30`
        case hours24ShortPoint
        /// `9:30 PM`, with the words for the two halves of the day.
        case hours12(am: String, pm: String)
        /// The same with the words in front of the time.
        case hours12After(am: String, pm: String)
    }

    var plural = PluralRule.none
    var decimal = ","
    var group = "."
    /// The least number of digits that are grouped: 4, or 5 where 1234 is not grouped.
    var groupsFrom = 4
    /// The months in the grammatical case that follows a day; empty for dates in digits.
    var months: [String]
    /// The pattern of a date, with `D`, `M` and `Y`.
    var date = "D M Y"
    var clock = Clock.hours24
    /// How capital and small letters correspond.
    var letters = LetterCase.common

    /// The forms of the language, or of the nearest wider one that is known. The forms for unknown languages write
    /// numbers as JSON does and dates as ISO 8601 does.
    ///
    /// - Parameter language: nil for a text without a language, which is taken for English.
    static func of(_ language: LanguageTag?) -> LanguageForms {
        var forms = known(language) ?? plain
        forms.plural = PluralRule.of(language) ?? .none
        return forms
    }

    /// How the language, or the nearest wider one that is known, writes numbers, dates and times; nil when none is.
    static func known(_ language: LanguageTag?) -> LanguageForms? {
        var wanted = language ?? LanguageTag("en")
        while let tag = wanted {
            if let forms = languages[tag.text] ?? further[tag.text] { return forms }
            wanted = tag.wider
        }
        return nil
    }

    func category(of number: String) -> PluralCategory {
        DecimalText(number).map { plural.category(of: $0) } ?? .other
    }

    /// `1.234,5`; a text that is not a plain number stays as it is.
    ///
    /// - Parameter digits: The digits after the point to which the number is rounded, halves to the even neighbour; nil
    ///   to keep its own.
    func number(_ text: String, digits: Int? = nil) -> String {
        guard var number = DecimalText(text) else { return text }
        if let digits { number = number.rounded(to: digits) }
        return number.written(decimal: decimal, group: group, groupsFrom: groupsFrom)
    }

    /// `15 agosto 2026`
    func date(_ shown: Timestamp) -> String {
        let iso = shown.bytes
        guard let month = Int(String(decoding: iso[5..<7], as: UTF8.self)), months.indices.contains(month - 1) else {
            return String(decoding: iso[..<10], as: UTF8.self)
        }
        var text = ""
        for character in date {
            switch character {
            case "D": text += Self.unpadded(iso[8..<10])
            case "M": text += months[month - 1]
            case "Y": text += Self.unpadded(iso[..<4])
            default: text.append(character)
            }
        }
        return text
    }

    /// `21:30`
    func time(_ shown: Timestamp) -> String {
        let iso = shown.bytes
        let (hours, minutes) = (iso[11..<13], String(decoding: iso[14..<16], as: UTF8.self))
        let hour = Int(String(decoding: hours, as: UTF8.self)) ?? 0
        let half = "\(hour % 12 == 0 ? 12 : hour % 12):\(minutes)"
        switch clock {
        case .hours24: return String(decoding: hours, as: UTF8.self) + ":" + minutes
        case .hours24Point: return String(decoding: hours, as: UTF8.self) + "." + minutes
        case .hours24Short: return Self.unpadded(hours) + ":" + minutes
        case .hours24ShortPoint: return Self.unpadded(hours) + "." + minutes
        case .hours12(let am, let pm): return "\(half)\u{a0}\(hour < 12 ? am : pm)"
        case .hours12After(let am, let pm): return "\(hour < 12 ? am : pm)\(half)"
        }
    }

    private static func unpadded(_ digits: ArraySlice<UInt8>) -> String {
        let significant = digits.drop { $0 == UInt8(ascii: "0") }
        return significant.isEmpty ? "0" : String(decoding: significant, as: UTF8.self)
    }
}
