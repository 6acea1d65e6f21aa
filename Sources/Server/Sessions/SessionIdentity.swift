import EventLoop
import Fanout
import Model
import Services

/// Who a started session is, and where it stands in the log.
///
/// A class, so that a delivery touches one object and copies nothing.
///
/// - Confinement: loop
final class SessionIdentity {
    let person: Person
    /// Where deliveries are written.
    let tcp: TCPConnection
    /// Whether it takes plain WebSocket frames, which are shared with others.
    let isPlain: Bool
    /// The device's name, its own or the one it was given; a newer connection with the same one replaces this.
    let device: String
    let deviceLanguage: LanguageTag?
    private let storedDeviceLanguage: LanguageTag?
    var cursor: DeliveryCursor
    /// Whether `live` is still to be said.
    var awaitsLive = true
    var counts: CountsTold
    var watches = DocumentWatches()
    /// What notifications are rendered in.
    private(set) var language: LanguageTag?
    /// What keeps notifications that many read from interrupting; nil for nearly everybody.
    private(set) var preferences: DeliveryPreferences?
    private var storedPreferences: String?
    /// The newest notification that began one of the user's look-back digests.
    var digestFirst: Position?

    init(
        person: Person, on tcp: TCPConnection, isPlain: Bool,
        device: String, deviceLanguage: LanguageTag?, storedDeviceLanguage: LanguageTag?,
        chosenLanguage: LanguageTag?, preferences: String?, cursor: DeliveryCursor, counts: CountsTold
    ) {
        self.person = person
        self.tcp = tcp
        self.isPlain = isPlain
        self.device = device
        self.deviceLanguage = deviceLanguage
        self.storedDeviceLanguage = storedDeviceLanguage
        self.cursor = cursor
        self.counts = counts
        setChosenLanguage(chosenLanguage)
        setPreferences(preferences)
    }

    /// The user's preferences are these from here on, as they are stored.
    func setPreferences(_ stored: String?) {
        guard stored != storedPreferences else { return }
        storedPreferences = stored
        preferences = DeliveryPreferences.stored(stored)
    }

    /// The language chosen in the preferences goes before the device's, and that before the one an earlier device named.
    func setChosenLanguage(_ chosen: LanguageTag?) {
        language = chosen ?? deviceLanguage ?? storedDeviceLanguage
    }
}

@available(*, unavailable)
extension SessionIdentity: Sendable {}
