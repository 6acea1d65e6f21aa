import Foundation
import Model

/// A function of ours in a template: `{{number(after.rating)}}`, `{{date.Europe.Rome(after.at)}}`,
/// `{{#plural(after.count)}}`.
///
/// A zone stands behind the name, its slashes as points, since a tag may hold no others.
enum TemplateFunction: Sendable, Hashable {
    case number
    case date(TimeZone?)
    case time(TimeZone?)
    case plural

    /// The library's own, by ``TemplateValue``'s types.
    private static let others: Set<String> = [
        "capitalized", "count", "empty", "equalzero", "even", "first", "index", "last", "lowercased", "minusone", "odd",
        "plusone", "reversed", "uppercased",
    ]

    /// Nil when there is no such function of ours.
    init?(_ text: String) {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let zone: TimeZone?
        if parts.count == 2 {
            zone = TimeZone(iana: String(parts[1]).replacing(".", with: "/"))
            guard zone != nil else { return nil }
        } else {
            zone = nil
        }
        switch parts[0] {
        case "number" where zone == nil: self = .number
        case "plural" where zone == nil: self = .plural
        case "date": self = .date(zone)
        case "time": self = .time(zone)
        default: return nil
        }
    }

    /// Refuses a name that is neither ours nor the library's.
    ///
    /// - Throws: ``PatternProblem`` at `place`.
    static func check(_ text: String, at place: Int) throws(PatternProblem) {
        guard !others.contains(text), TemplateFunction(text) == nil else { return }
        let parts = text.split(separator: ".", maxSplits: 1)
        if parts.count == 2, parts[0] == "date" || parts[0] == "time" {
            throw PatternProblem(
                "there is no time zone '\(parts[1].replacing(".", with: "/"))'; one is written as in "
                    + "\(parts[0]).Europe.Rome(…)",
                character: place
            )
        }
        let known = others.union(["number", "date", "time", "plural"]).sorted().joined(separator: ", ")
        throw PatternProblem("there is no function '\(text)'; a template has \(known)", character: place)
    }

    /// What the function makes of a value's text; nil for ``plural``, which is for sections.
    func written(_ text: String, in forms: LanguageForms) -> String? {
        switch self {
        case .number: forms.number(text)
        case .date(let zone): Self.shown(text, in: zone).map { forms.date($0.time) } ?? text
        case .time(let zone):
            Self.shown(text, in: zone).map { $0.hasTime ? forms.time($0.time) : "" } ?? text
        case .plural: nil
        }
    }

    /// What a clock shows: in the zone asked for, else as the text itself has it.
    private static func shown(_ text: String, in zone: TimeZone?) -> (time: Timestamp, hasTime: Bool)? {
        let time: WallTime
        if let read = WallTime(text) {
            time = read
        } else if let seconds = Int64(text), (-62_167_219_200...253_402_300_799).contains(seconds) {
            // As `unixepoch()` gives them.
            let instant = Timestamp(seconds: seconds)
            time = WallTime(wall: instant, instant: instant, hasTime: true)
        } else {
            return nil
        }
        return (zone.map { time.shown(in: $0) } ?? time.wall, time.hasTime)
    }
}
