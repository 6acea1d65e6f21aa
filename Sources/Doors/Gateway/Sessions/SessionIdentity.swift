import ClientProtocol
import EventLoop
import Execution
import Fanout
import Model
import Notifying
import Services
import Telemetry
import ThreadMessages

/// A session that has begun: whose it is, where it stands in the log, and what it has been sent.
///
/// A class, so that a delivery touches one object and copies nothing.
///
/// - Confinement: loop
final class SessionIdentity {
    // The fields that a delivery looks at are first and together, for they come from memory each time.
    /// Where deliveries are written.
    let tcp: TCPConnection
    var cursor: DeliveryCursor
    /// Whether it takes plain WebSocket frames, which are shared with others.
    let isPlain: Bool
    /// Whether `live` is still to be sent.
    var awaitsLive = true
    private let hasDeviceLanguage: Bool
    /// The last `on` of `focus`; nil when it was never said.
    private var focus: Bool?
    var counts: CountsSent
    private var rarities: Rarities?
    /// Nil for a client that showed no token: then nothing is sent but what is watched.
    let person: Person?
    /// The device's name, its own or the one it was given; a newer connection with the same one replaces this.
    let device: String
    /// The language that the device named; if it named none, that of an earlier device of the user.
    private let lastingLanguage: LanguageTag?
    /// The language of notifications.
    private(set) var language: LanguageTag?
    var watches = DocumentWatches()
    /// The newest position that was acknowledged; zero when none was.
    private var acked = Position.zero

    /// The state that only few sessions have.
    ///
    /// - Confinement: loop
    private final class Rarities {
        var preferences: StoredPreferences?
        var digestFirst: Position?
        var heldAnswers: HeldAnswers?
        var roles: Set<RoleName> = []
        /// The rooms with something unread.
        var unreadRooms: Set<StreamID> = []
        /// The chat that `focus` named.
        var focusedChat: ChatID?
    }

    init(
        person: Person?, on tcp: TCPConnection, isPlain: Bool,
        device: String, deviceLanguage: LanguageTag?, storedDeviceLanguage: LanguageTag?,
        chosenLanguage: LanguageTag?, preferences: String?, cursor: DeliveryCursor, counts: CountsSent
    ) {
        self.person = person
        self.tcp = tcp
        self.isPlain = isPlain
        self.device = device
        hasDeviceLanguage = deviceLanguage != nil
        lastingLanguage = deviceLanguage ?? storedDeviceLanguage
        self.cursor = cursor
        self.counts = counts
        setChosenLanguage(chosenLanguage)
        setPreferences(preferences.map { StoredPreferences($0) })
    }

    /// The language that the device named.
    var deviceLanguage: LanguageTag? { hasDeviceLanguage ? lastingLanguage : nil }

    /// The preferences by which notifications for many readers may be silent; nil for nearly all users.
    var preferences: DeliveryPreferences? { rarities?.preferences?.deciding }

    /// The roles in the token on which the session rests.
    private var roles: Set<RoleName> { rarities?.roles ?? [] }

    /// The user as the one that asks.
    var actor: Actor? { person?.actor(roles) }

    /// Whether events have no ids yet: a client that has not been sent all that it watches must not come back as though it
    /// had been.
    var withholdsIDs: Bool { person == nil && awaitsLive }

    /// The session rests on another token from here on.
    func setRoles(_ roles: Set<RoleName>) {
        if roles != self.roles { withRarities { $0.roles = roles } }
    }

    /// The rooms with something unread are these.
    func setUnreadRooms(_ rooms: [StreamID]) {
        guard rarities != nil || !rooms.isEmpty else { return }
        withRarities { $0.unreadRooms = Set(rooms) }
    }

    /// Notes whether a room has something unread.
    ///
    /// - Returns: whether that is new.
    func setUnread(_ room: StreamID, _ isUnread: Bool) -> Bool {
        guard isUnread else { return rarities?.unreadRooms.remove(room) != nil }
        if let rarities { return rarities.unreadRooms.insert(room).inserted }
        withRarities { $0.unreadRooms = [room] }
        return true
    }

    /// The name of the user's time zone.
    var zone: String { rarities?.preferences?.zone ?? ZoneClock.utc.name }

    /// The newest notification that began one of the user's look-back digests.
    var digestFirst: Position? {
        get { rarities?.digestFirst }
        set { withRarities { $0.digestFirst = newValue } }
    }

    /// Answers that wait until the events before them were sent; nil for nearly everybody.
    var heldAnswers: HeldAnswers? { rarities?.heldAnswers }

    /// The same, made when there are none.
    func holdAnswers() -> HeldAnswers {
        let held = heldAnswers ?? HeldAnswers()
        withRarities { $0.heldAnswers = held }
        return held
    }

    /// The user's preferences are these from here on, nil when nothing was chosen; the sessions of a user share them.
    func setPreferences(_ preferences: StoredPreferences?) {
        guard preferences?.text != rarities?.preferences?.text else { return }
        withRarities { $0.preferences = preferences }
    }

    private func withRarities(_ change: (Rarities) -> Void) {
        let rarities = self.rarities ?? Rarities()
        self.rarities = rarities
        change(rarities)
    }

    /// The language chosen in the preferences goes before the device's, and that before the one an earlier device named.
    func setChosenLanguage(_ chosen: LanguageTag?) {
        language = chosen ?? lastingLanguage
    }
}

extension SessionIdentity {
    /// Whether the counts that are known are those at the position up to which events were sent, or a later one.
    var areCountsCurrent: Bool { cursor.mode == .live && !counts.isRecountOwed }

    /// The size for the policy about slow readers: full from when the queue passed its bound until the socket says that it
    /// has drained. A session that waits for the socket is then certain to be notified.
    var queuedBytes: Int { tcp.isCongested ? Limits.queuedBytesMax : 0 }

    /// Up to here nothing for this session is missing on its socket: a live one has looked through all that its loop has
    /// delivered.
    func lookedThrough(_ log: DeliveredLog) -> Position {
        let position = cursor.position
        return cursor.mode == .live ? max(position, log.head) : position
    }

    /// The client has handled everything up to a position. It cannot have seen more than it was sent, whatever it says.
    func acknowledge(_ position: Position, _ log: DeliveredLog) {
        acked = max(acked, min(position, lookedThrough(log)))
    }

    /// The client says whether somebody looks at the device.
    func setFocus(_ command: FocusCommand) {
        focus = command.on
        let chat = command.on ? command.chat : nil
        if chat != rarities?.focusedChat { withRarities { $0.focusedChat = chat } }
    }

    /// The session as the sender of pushes sees it; nil without a user.
    var looking: LookingSession? {
        guard let person else { return nil }
        return LookingSession(
            user: person.id, device: device, acked: acked, focus: focus, chat: rarities?.focusedChat)
    }
}

@available(*, unavailable)
extension SessionIdentity: Sendable {}
