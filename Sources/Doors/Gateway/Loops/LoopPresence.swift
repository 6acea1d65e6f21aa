import ClientProtocol
import EventLoop
import Fanout
import Model
import Synchronization
import Telemetry
import ThreadMessages

/// The users who are online, as one loop knows them. It notifies all loops when a user's first session begins on
/// this one, or the last one ends, and the other nodes of each session.
///
/// - Confinement: loop
final class LoopPresence {
    /// A message for the sessions that observe a user.
    ///
    /// - Confinement: any
    struct News {
        let slots: [Slot]
        let signal: FramedSignal
    }

    private let number: Int
    private let hub: Hub
    private let settings: LoopSettings
    private let presence = Presence()

    /// - Parameter number: of the loop.
    init(ofLoop number: Int, _ hub: Hub, _ settings: LoopSettings) {
        self.number = number
        self.hub = hub
        self.settings = settings
    }

    /// The users who are online now.
    var online: OnlineUsers { presence.online }

    /// A session of this loop has its user now, and is listed in the hub.
    func arrived(_ person: Person) {
        settings.metrics.sessions.add(1)
        // The first one of its user on this loop?
        if hub.subscribers(of: person.id).count == 1 { tellLoops(person, isOnline: true) }
        settings.mail.cluster?.post(.signal(.arrived(person)))
    }

    /// A session of this loop is gone, also from the hub.
    func left(_ person: Person, slot: Slot) {
        settings.metrics.sessions.subtract(1)
        presence.unwatch(slot)
        if hub.subscribers(of: person.id).isEmpty { tellLoops(person, isOnline: false) }
        settings.mail.cluster?.post(.signal(.left(person)))
    }

    private func tellLoops(_ person: Person, isOnline: Bool) {
        let message = LoopMessage.presence(person, isOnline: isOnline, loop: number, at: settings.clock.now())
        for loop in settings.mail.loops { loop.post(message) }
    }

    /// A session observes these people from here on.
    ///
    /// - Returns: those of them that are online.
    func watch(_ people: [Person], by slot: Slot, of observer: StreamID) -> [UserID] {
        presence.watch(people.map { ($0.id, $0.name) }, by: slot, of: observer)
    }

    /// Takes the news that a loop, this one or another, sends about a user.
    ///
    /// - Returns: nil when nobody is to hear of it.
    func apply(_ person: Person, isOnline: Bool, onLoop other: Int, at: Timestamp) -> News? {
        news(of: person, to: presence.apply(person.id, isOnline: isOnline, onLoop: other), at: at)
    }

    /// Takes the news that a user came online on other nodes, or went offline there.
    ///
    /// - Returns: nil when nobody is to hear of it.
    func apply(_ change: PresenceElsewhere) -> News? {
        let slots = presence.apply(change.person.id, isOnlineElsewhere: change.isOnline)
        return news(of: change.person, to: slots, at: change.at)
    }

    private func news(of person: Person, to slots: [Slot], at: Timestamp) -> News? {
        guard !slots.isEmpty else { return nil }
        let isStillOnline = presence.isOnline(person.id)
        let event = Event.presence(user: person.name, online: isStillOnline, lastSeen: isStillOnline ? nil : at)
        return News(slots: slots, signal: FramedSignal(event))
    }

    /// One of two users blocks the other from now on, or no longer: then each is offline for the sessions of the other.
    ///
    /// - Returns: the messages for these sessions.
    func setBlock(between one: StreamID, and other: StreamID, isOn: Bool) -> [News] {
        presence.setApart(one, other, isOn)
        guard isOn else { return [] }
        return [(one, other), (other, one)].compactMap { user, observer in
            guard let (name, slots) = presence.unwatch(user, by: Array(hub.subscribers(of: observer))) else {
                return nil
            }
            return News(slots: slots, signal: FramedSignal(Event.presence(user: name, online: false, lastSeen: nil)))
        }
    }

    /// A user that is visible to nobody from now on is offline for those who observed them.
    ///
    /// - Returns: nil when nobody is to hear of it.
    func setVisibility(of user: StreamID, isHidden: Bool) -> News? {
        guard isHidden else {
            presence.show(user)
            return nil
        }
        guard let (name, slots) = presence.hide(user) else { return nil }
        return News(slots: slots, signal: FramedSignal(Event.presence(user: name, online: false, lastSeen: nil)))
    }
}

@available(*, unavailable)
extension LoopPresence: Sendable {}
