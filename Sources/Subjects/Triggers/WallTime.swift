import Foundation
package import Model

/// A date, or a time of day, in a document: with an offset, or as a local clock shows it.
///
/// - Confinement: any
package struct WallTime: Sendable, Hashable {
    /// The date and time of the text, stored as though it were UTC.
    package let wall: Timestamp
    /// The instant, when the text has an offset or `Z`.
    package let instant: Timestamp?
    /// False for a date alone.
    package let hasTime: Bool

    /// Reads `2026-11-21`, `2026-11-21T09:00`, with seconds, a fraction, an offset, or a space in place of `T`; nil for
    /// anything else.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        if bytes.count == 10 {
            guard let date = Timestamp(text) else { return nil }
            self.init(wall: date, instant: nil, hasTime: false)
            return
        }
        let offset = Self.offsetCount(of: bytes)
        let clock = String(decoding: bytes.dropLast(offset), as: UTF8.self)
        let full = clock.utf8.count == 16 ? clock + ":00" : clock
        guard bytes.count >= 16, let wall = Timestamp(full + "Z") else { return nil }
        guard offset > 0 else {
            self.init(wall: wall, instant: nil, hasTime: true)
            return
        }
        guard let instant = Timestamp(full + String(decoding: bytes.suffix(offset), as: UTF8.self)) else { return nil }
        self.init(wall: wall, instant: instant, hasTime: true)
    }

    init(wall: Timestamp, instant: Timestamp?, hasTime: Bool) {
        self.wall = wall
        self.instant = instant
        self.hasTime = hasTime
    }

    /// Bytes of `Z` or `+01:00` at the end of a time.
    private static func offsetCount(of bytes: [UInt8]) -> Int {
        guard let last = bytes.last else { return 0 }
        if last == UInt8(ascii: "Z") || last == UInt8(ascii: "z") { return 1 }
        guard bytes.count >= 22 else { return 0 }
        let sign = bytes[bytes.count - 6]
        return sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") ? 6 : 0
    }

    /// The time on a clock in `zone` at this instant; a text without an offset already is the clock's time.
    func shown(in zone: TimeZone) -> Timestamp {
        guard let instant else { return wall }
        return instant.adding(milliseconds: zone.offsetMilliseconds(at: instant))
    }

    /// The instant at which a clock in `zone` shows this time; a text with an offset needs no zone.
    ///
    /// When a clock is put back and shows a time twice, the first one counts. When it is put forward and skips a time,
    /// the result is later by the length of the skip.
    func instant(in zone: TimeZone) -> Timestamp {
        if let instant { return instant }
        // The offsets of the days before and after; at most one change lies between them.
        let day: Int64 = 86_400_000
        let before = zone.offsetMilliseconds(at: wall.adding(milliseconds: -day))
        let after = zone.offsetMilliseconds(at: wall.adding(milliseconds: day))
        let first = wall.adding(milliseconds: -before)
        if zone.offsetMilliseconds(at: first) == before { return first }
        let second = wall.adding(milliseconds: -after)
        return zone.offsetMilliseconds(at: second) == after ? second : first
    }
}

extension TimeZone {
    /// A zone of the IANA database by its name, `Europe/Rome`, or `UTC`; nil for abbreviations and other texts.
    init?(iana name: String) {
        guard name == "UTC" || TimeZoneName.isWellFormed(name), let zone = TimeZone(identifier: name) else {
            return nil
        }
        self = zone
    }

    fileprivate func offsetMilliseconds(at instant: Timestamp) -> Int64 {
        Int64(secondsFromGMT(for: Date(timeIntervalSince1970: Double(instant.milliseconds) / 1000))) * 1000
    }
}
