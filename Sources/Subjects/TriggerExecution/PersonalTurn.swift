import Model
import Notifying
import Store
import Triggers

/// When a notification that goes by the recipients' clocks comes to one person: each has a time of their own.
///
/// - Confinement: any
enum PersonalTurn: Sendable, Hashable {
    /// It is still to come.
    case comes(Timestamp)
    /// The person's clock has shown the time, and those with that clock have got it.
    case came(Timestamp)
    /// The person's clock has shown the time, and it was too late for a row that does not send late ones.
    case missed(Timestamp)

    /// - Parameters:
    ///   - wall: the time on each recipient's clock, stored as though it were UTC.
    ///   - user: nil for somebody whom the server does not know, and whose clock is UTC.
    ///   - toldUpTo: recipients whose clock had shown the time by then have got it; nil when nobody has.
    ///   - setAt: when the time was first set; nil when that does not matter.
    init(
        showing wall: Timestamp, to user: UserEntry?, after toldUpTo: Timestamp?, setAt: Timestamp?, late: LateNotice,
        at now: Timestamp
    ) {
        let instant = TriggerClock.instant(of: wall, in: Self.zone(of: user))
        if instant > now {
            self = .comes(instant)
        } else if let toldUpTo, instant <= toldUpTo {
            self = .came(instant)
        } else if late.isOver(instant, at: now) || setAt.map({ late == .skip && instant < $0 }) ?? false {
            self = .missed(instant)
        } else {
            self = .comes(now)
        }
    }

    /// The turn of a notification that waits; nil when all get it at once.
    init?(_ scheduled: ScheduledNotification, to user: UserEntry?, late: LateNotice, at now: Timestamp) {
        guard let wall = scheduled.wall else { return nil }
        self.init(
            showing: wall, to: user, after: scheduled.toldUpTo, setAt: scheduled.setAt, late: late, at: now)
    }

    /// The name of the zone of a person's clock.
    static func zone(of user: UserEntry?) -> String { DeliveryPreferences.zone(ofStored: user?.preferences) }

    /// A sentence about it.
    func says(to name: UserID) -> String {
        switch self {
        case .comes(let at): "it is scheduled for \(at.text), by the clock of \(name.text)"
        case .came(let at): "the clock of \(name.text) showed its time at \(at.text), and it was sent then"
        case .missed(let at):
            "the clock of \(name.text) had shown its time at \(at.text), and the row sends no late ones"
        }
    }
}

extension AudienceReading {
    /// The membership of a person who has one of the same row and `collapse` through another topic; nil when the person has
    /// none, or the row does not care.
    func toldByAnother(_ user: UserEntry, _ wanted: NotificationWanted) throws -> Membership? {
        guard wanted.isOnceAcrossTopics, let collapse = wanted.collapse,
            !wanted.audience.parts.contains(.user(user.name))
        else { return nil }
        let own = try streams(of: wanted.audience)
        let zones = wanted.wall == nil ? [] : [PersonalTurn.zone(of: user)]
        let told = try transaction.told(by: wanted.trigger, of: collapse, in: zones, otherThan: own)
        guard try told.contains(where: { try transaction.follows.since(follower: user.id, stream: $0) != nil }) else {
            return nil
        }
        return .toldByAnother(user)
    }
}
