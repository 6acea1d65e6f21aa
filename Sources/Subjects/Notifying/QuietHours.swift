/// When a person does not want to be interrupted, by the clock of the person's time zone.
///
/// - Confinement: any
package struct QuietHours: Sendable, Hashable {
    /// They begin at this time and end when the clock next shows the other. If both are the same, they last a whole
    /// day.
    let from: LocalTime
    let to: LocalTime
    /// The days on which they begin. Quiet hours of Monday may end on Tuesday.
    let days: Set<Weekday>
    /// Kinds of notifications that interrupt all the same.
    let allowedKinds: Set<String>
    /// Whether one digest lists the held notifications when they end.
    let hasSummary: Bool

    /// Whether `minute` lies in quiet hours.
    func contains(_ minute: WallMinute) -> Bool {
        let difference = to.minutes - from.minutes
        let length = difference > 0 ? difference : difference + WallMinute.ofDay
        let day = minute.day
        let sinceFrom = minute.minuteOfDay - from.minutes
        if sinceFrom >= 0, sinceFrom < length { return days.contains(Weekday(daysSince1970: day)) }
        return sinceFrom + WallMinute.ofDay < length && days.contains(Weekday(daysSince1970: day - 1))
    }
}
