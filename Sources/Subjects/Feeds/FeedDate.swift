package import Model

/// Reads the dates of feeds and of HTTP.
///
/// - Confinement: any
package enum FeedDate {
    /// Reads RFC 3339 (also with a blank instead of `T`; without a zone, or only a date, it counts as UTC), or RFC 822
    /// and its successors (RFC 2822, RFC 9110), also with two-digit years, zone names, no seconds, or no weekday; nil
    /// for other texts.
    package static func read(_ text: String) -> Timestamp? {
        let text = PlainText.cut(text, to: 64)
        return Timestamp(text) ?? Timestamp(text + "Z") ?? Timestamp(text + ":00Z") ?? mail(text)
    }

    private static func mail(_ text: String) -> Timestamp? {
        var words = text.split { $0 == " " || $0 == "," || $0 == "\t" }.map(String.init)
        // RFC 850 writes `21-Nov-26` as one word.
        if let index = words.firstIndex(where: { $0.split(separator: "-").count == 3 }) {
            words.replaceSubrange(index...index, with: words[index].split(separator: "-").map(String.init))
        }
        if let first = words.first, first.first?.isNumber == false { words.removeFirst() }
        guard words.count >= 4, let day = Int(words[0]), let month = months[words[1].prefix(3).lowercased()],
            let year = year(words[2]), (1...31).contains(day)
        else { return nil }
        let clock = words[3].split(separator: ":", omittingEmptySubsequences: false).map { Int($0) }
        guard (2...3).contains(clock.count), let hour = clock[0], let minute = clock[1],
            let second = clock.count == 3 ? clock[2] : 0, let offset = offset(words.count > 4 ? words[4] : "GMT")
        else { return nil }
        return Timestamp(
            "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))T"
                + "\(padded(hour, 2)):\(padded(minute, 2)):\(padded(second, 2))\(offset)")
    }

    /// Two digits mean 1950 to 2049, three count from 1900 (RFC 2822 section 4.3).
    private static func year(_ text: String) -> Int? {
        guard let year = Int(text), year >= 0, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        switch text.utf8.count {
        case 2: return year < 50 ? 2000 + year : 1900 + year
        case 3: return 1900 + year
        case 4: return year
        default: return nil
        }
    }

    /// `+0200`, `+02:00` or a name in the form of RFC 3339; an unknown name counts as UTC (RFC 2822 section 4.3).
    private static func offset(_ text: String) -> String? {
        guard let sign = text.first, sign == "+" || sign == "-" else { return zones[text.uppercased()] ?? "Z" }
        let digits = text.dropFirst().filter { $0 != ":" }
        guard digits.utf8.count == 4, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return "\(sign)\(digits.prefix(2)):\(digits.suffix(2))"
    }

    private static func padded(_ number: Int, _ count: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }

    private static let months = [
        "jan": 1, "feb": 2, "mar": 3, "apr": 4, "may": 5, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "oct": 10, "nov": 11,
        "dec": 12,
    ]
    private static let zones = [
        "EST": "-05:00", "EDT": "-04:00", "CST": "-06:00", "CDT": "-05:00", "MST": "-07:00", "MDT": "-06:00",
        "PST": "-08:00", "PDT": "-07:00", "WEST": "+01:00", "BST": "+01:00", "CET": "+01:00", "MET": "+01:00",
        "CEST": "+02:00", "MEST": "+02:00", "EET": "+02:00", "EEST": "+03:00", "MSK": "+03:00", "JST": "+09:00",
    ]
}
