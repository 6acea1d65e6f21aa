import Foundation
import Model

/// A function in a template: `{{uppercased(after.title)}}`, `{{number(after.rating)}}`, `{{date.Europe.Rome(after.at)}}`,
/// `{{#plural(after.count)}}`.
///
/// A zone follows the name, with points in place of its slashes, since a tag may contain no slashes.
enum TemplateFunction: Sendable, Hashable {
    /// With this many digits after the point, as in `number.2`; nil to keep the number's own digits.
    case number(digits: Int?)
    case date(Zone)
    case time(Zone)
    case plural
    case general(General)

    /// Functions that do not depend on a language, except for its letters.
    enum General: String, Sendable, Hashable, CaseIterable {
        case capitalized, count, empty, equalzero, even, first, index, last, lowercased, minusone, odd, plusone,
            reversed
        case uppercased
    }

    /// The zone of the clock that shows a date or a time.
    enum Zone: Sendable, Hashable {
        /// The zone of the text itself.
        case asWritten
        case named(TimeZone)
        /// The zone of the row's one reader: the value of `zone`.
        case reader
    }

    /// Nil when there is no such function.
    init?(_ text: String) {
        if let general = General(rawValue: text) {
            self = .general(general)
            return
        }
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        if parts[0] == "number" {
            let digits = parts.count == 2 ? Self.digits(parts[1]) : nil
            guard parts.count == 1 || digits != nil else { return nil }
            self = .number(digits: digits)
            return
        }
        var zone = Zone.asWritten
        if parts.count == 2, parts[1] == ReaderZone.name {
            zone = .reader
        } else if parts.count == 2 {
            guard let named = TimeZone(iana: String(parts[1]).replacing(".", with: "/")) else { return nil }
            zone = .named(named)
        }
        switch parts[0] {
        case "plural" where zone == .asWritten: self = .plural
        case "date": self = .date(zone)
        case "time": self = .time(zone)
        default: return nil
        }
    }

    /// The function of that name.
    ///
    /// - Parameter hasZone: Whether the row has one reader, so that `zone` has a meaning.
    /// - Throws: ``PatternProblem`` at `place`, when there is no such function.
    static func read(_ text: String, hasZone: Bool, at place: Int) throws(PatternProblem) -> TemplateFunction {
        let function = TemplateFunction(text)
        guard hasZone || function != .date(.reader) && function != .time(.reader) else {
            throw PatternProblem(ReaderZone.templateHint, character: place)
        }
        if let function { return function }
        let parts = text.split(separator: ".", maxSplits: 1)
        if parts.count == 2, parts[0] == "date" || parts[0] == "time" {
            throw PatternProblem(
                "there is no time zone '\(parts[1].replacing(".", with: "/"))'; one is written as in "
                    + "\(parts[0]).Europe.Rome(…)",
                character: place
            )
        }
        let known = (General.allCases.map(\.rawValue) + ["number", "date", "time", "plural"]).sorted().joined(
            separator: ", ")
        if parts.count == 2, parts[0] == "number" {
            throw PatternProblem(
                "number takes the digits after the point, 0 to \(digitsMax), as in number.2(…)", character: place
            )
        }
        throw PatternProblem("there is no function '\(text)'; a template has \(known)", character: place)
    }

    /// The most digits after the point that a template may ask for; money has at most four.
    private static let digitsMax = 9

    /// The one digit after `number.`; nil for other texts.
    private static func digits(_ text: Substring) -> Int? {
        guard text.utf8.count == 1, let count = Int(text), (0...digitsMax).contains(count) else { return nil }
        return count
    }

    /// The time on a clock: in the given zone, else in the zone of the text itself.
    static func shown(_ text: String, in zone: TimeZone?) -> (time: Timestamp, hasTime: Bool)? {
        let time: WallTime
        if let read = WallTime(text) {
            time = read
        } else if let seconds = Int64(text), (-62_167_219_200...253_402_300_799).contains(seconds) {
            // Seconds as `unixepoch()` gives them.
            let instant = Timestamp(seconds: seconds)
            time = WallTime(wall: instant, instant: instant, hasTime: true)
        } else {
            return nil
        }
        return (zone.map { time.shown(in: $0) } ?? time.wall, time.hasTime)
    }
}

extension TemplateFunction.Zone {
    /// Nil for the zone of the text itself, and when the reader's zone is not known.
    func clock(_ round: TemplateRound) -> TimeZone? {
        switch self {
        case .asWritten: nil
        case .named(let zone): zone
        case .reader: round.zone
        }
    }
}
