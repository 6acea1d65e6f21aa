internal import Foundation
package import Model

/// The clock on the wall of a time zone.
///
/// Foundation knows the zone's rules, and needs 44 ns to say by how much it is ahead at a moment (measured here): a loop
/// may ask, for those sessions whose user has quiet hours.
///
/// - Confinement: any
package struct ZoneClock: Sendable {
    /// What the form of a zone's name is, for error messages.
    package static let form = "the IANA name of a time zone, such as Europe/Rome, or UTC"
    /// The clock of those who did not say where they are.
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

    /// What the clock shows.
    package func minute(at time: Timestamp) -> WallMinute {
        let milliseconds = time.milliseconds + offset(at: time)
        return WallMinute((milliseconds >= 0 ? milliseconds : milliseconds - 59_999) / 60_000)
    }

    /// When the clock first shows `minute`; when it never does, because it was put forward over it, the moment when that
    /// was done.
    package func time(of minute: WallMinute) -> Timestamp {
        let local = minute.value * 60_000
        // No zone is a day and a half from UTC, and none changes its clocks twice within three days.
        let reach: Int64 = 36 * 3_600_000
        let before = offset(at: Timestamp(milliseconds: local - reach))
        let after = offset(at: Timestamp(milliseconds: local + reach))
        for offset in [before, after].sorted(by: >) {
            let time = Timestamp(milliseconds: local - offset)
            if self.offset(at: time) == offset { return time }
        }
        // The change lies between the two; it is found by halving.
        var low = local - max(before, after) - 1
        var high = local - min(before, after) + 1
        while high - low > 1 {
            let middle = low + (high - low) / 2
            if offset(at: Timestamp(milliseconds: middle)) == before { low = middle } else { high = middle }
        }
        return Timestamp(milliseconds: high)
    }
}
