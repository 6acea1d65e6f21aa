internal import Foundation
package import Model

/// The clock on the wall of a time zone.
///
/// Foundation knows the rules of the zone. It needs 44 ns for the offset at a moment (measured here), so a loop may ask
/// for sessions whose user has quiet hours.
///
/// - Confinement: any
package struct ZoneClock: Sendable {
    /// The form of a zone's name, for error messages.
    package static let form = "the IANA name of a time zone, such as Europe/Rome, or UTC"
    /// The clock of users who have not chosen a time zone.
    package static let utc = ZoneClock(name: "UTC", zone: nil)

    /// The IANA name of the zone.
    package let name: String
    private let zone: TimeZone?

    private init(name: String, zone: TimeZone?) {
        self.name = name
        self.zone = zone
    }

    /// The clock of a zone by its IANA name; nil when there is no such zone.
    package init?(_ name: String) {
        if name == "UTC" {
            self = .utc
            return
        }
        guard TimeZoneName.isWellFormed(name), let zone = TimeZone(identifier: name) else { return nil }
        self.init(name: name, zone: zone)
    }

    /// By how many milliseconds the clock is ahead of UTC.
    func offset(at time: Timestamp) -> Int64 {
        guard let zone else { return 0 }
        return Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(time.milliseconds) / 1000))) * 1000
    }

    /// The minute that the clock shows.
    package func minute(at time: Timestamp) -> WallMinute {
        let milliseconds = time.milliseconds + offset(at: time)
        return WallMinute((milliseconds >= 0 ? milliseconds : milliseconds - 59_999) / 60_000)
    }

    /// When the clock first shows `minute`. If the clock is put forward over it, the moment of that change.
    package func time(of minute: WallMinute) -> Timestamp {
        let local = minute.value * 60_000
        // No zone is 36 hours from UTC, and none changes its clocks twice within three days.
        let reach: Int64 = 36 * 3_600_000
        let before = offset(at: Timestamp(milliseconds: local - reach))
        let after = offset(at: Timestamp(milliseconds: local + reach))
        for offset in [before, after].sorted(by: >) {
            let time = Timestamp(milliseconds: local - offset)
            if self.offset(at: time) == offset { return time }
        }
        // The change lies between the two. A binary search finds it.
        var low = local - max(before, after) - 1
        var high = local - min(before, after) + 1
        while high - low > 1 {
            let middle = low + (high - low) / 2
            if offset(at: Timestamp(milliseconds: middle)) == before { low = middle } else { high = middle }
        }
        return Timestamp(milliseconds: high)
    }
}
