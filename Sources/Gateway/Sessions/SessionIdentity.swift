import EventLoop
import Fanout
import Mail
import Model
import Services

/// Who a started session is, and where it stands in the log.
///
/// A class, so that a delivery touches one object and copies nothing.
///
/// - Confinement: loop
final class SessionIdentity {
    // What a delivery looks at stands first and together, for it comes from memory each time.
    /// Where deliveries are written.
    let tcp: TCPConnection
    var cursor: DeliveryCursor
    /// Whether it takes plain WebSocket frames, which are shared with others.
    let isPlain: Bool
    /// Whether `live` is still to be said.
    var awaitsLive = true
    private let hasDeviceLanguage: Bool
    var counts: CountsTold
    private var rarities: Rarities?
    /// Nil for who showed no token: then nothing is told but what is watched.
    let person: Person?
    /// The device's name, its own or the one it was given; a newer connection with the same one replaces this.
    let device: String
    /// What the device said of its language; if it said nothing, what an earlier device of the user did.
    private let lastingLanguage: LanguageTag?
    /// What notifications are rendered in.
    private(set) var language: LanguageTag?
    var watches = DocumentWatches()

    /// What few sessions have.
    ///
    /// - Confinement: loop
    private final class Rarities {
        var preferences: DeliveryPreferences?
        var zone = ZoneClock.utc.name
        var storedPreferences: String?
        var digestFirst: Position?
        var heldAnswers: HeldAnswers?
        var roles: Set<RoleName> = []
    }

    init(
        person: Person?, on tcp: TCPConnection, isPlain: Bool,
        device: String, deviceLanguage: LanguageTag?, storedDeviceLanguage: LanguageTag?,
        chosenLanguage: LanguageTag?, preferences: String?, cursor: DeliveryCursor, counts: CountsTold
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
        setPreferences(preferences)
    }

    /// What the device said of its language.
    var deviceLanguage: LanguageTag? { hasDeviceLanguage ? lastingLanguage : nil }

    /// What keeps notifications that many read from interrupting; nil for nearly everybody.
    var preferences: DeliveryPreferences? { rarities?.preferences }

    /// The roles that the token says which the session rests on.
    private var roles: Set<RoleName> { rarities?.roles ?? [] }

    /// The user as the one who asks.
    var actor: Actor? { person?.actor(roles) }

    /// Whether events bear no ids yet: who has not been told all that he watches must not come back as though he had been.
    var withholdsIDs: Bool { person == nil && awaitsLive }

    /// The session rests on another token from here on.
    func setRoles(_ roles: Set<RoleName>) {
        if roles != self.roles { withRarities { $0.roles = roles } }
    }

    /// The name of the user's time zone.
    var zone: String { rarities?.zone ?? ZoneClock.utc.name }

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

    /// The user's preferences are these from here on, as they are stored.
    func setPreferences(_ stored: String?) { setPreferences(stored, as: DeliveryPreferences.stored(stored)) }

    /// The same with preferences that were read already: those of a user with many sessions are read once for all.
    func setPreferences(_ stored: String?, as read: @autoclosure () -> DeliveryPreferences?) {
        guard stored != rarities?.storedPreferences else { return }
        let preferences = read()
        withRarities {
            $0.storedPreferences = stored
            $0.zone = DeliveryPreferences.zone(ofStored: stored)
            $0.preferences = preferences
        }
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

@available(*, unavailable)
extension SessionIdentity: Sendable {}
