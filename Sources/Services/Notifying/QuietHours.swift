/// When a person does not want to be interrupted, by the clock on his wall.
///
/// - Confinement: any
package struct QuietHours: Sendable, Hashable {
    /// They begin at this time, and end the next time the clock shows the other; the same twice is a whole day.
    let from: LocalTime
    let to: LocalTime
    /// The days on which they begin; Monday's may end on Tuesday.
    let days: Set<Weekday>
    /// Kinds of notifications that interrupt nevertheless.
    let allowedKinds: Set<String>
    /// Whether what was held is told of once when they end.
    let hasSummary: Bool

    /// Whether a clock that shows `minute` stands in quiet hours.
    func contains(_ minute: WallMinute) -> Bool {
        let difference = to.minutes - from.minutes
        let length = difference > 0 ? difference : difference + WallMinute.ofDay
        let day = minute.day
        let sinceFrom = minute.minuteOfDay - from.minutes
        if sinceFrom >= 0, sinceFrom < length { return days.contains(Weekday(daysSince1970: day)) }
        return sinceFrom + WallMinute.ofDay < length && days.contains(Weekday(daysSince1970: day - 1))
    }
}
