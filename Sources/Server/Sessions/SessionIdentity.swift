import Fanout
import Model

/// Who a started session is, and where it stands in the log.
///
/// A class, so that a delivery touches one object and copies nothing.
///
/// - Confinement: loop
final class SessionIdentity {
    let person: Person
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

    init(
        person: Person, device: String, deviceLanguage: LanguageTag?, storedDeviceLanguage: LanguageTag?,
        chosenLanguage: LanguageTag?, cursor: DeliveryCursor, counts: CountsTold
    ) {
        self.person = person
        self.device = device
        self.deviceLanguage = deviceLanguage
        self.storedDeviceLanguage = storedDeviceLanguage
        self.cursor = cursor
        self.counts = counts
        setChosenLanguage(chosenLanguage)
    }

    /// The language chosen in the preferences goes before the device's, and that before the one an earlier device named.
    func setChosenLanguage(_ chosen: LanguageTag?) {
        language = chosen ?? deviceLanguage ?? storedDeviceLanguage
    }
}

@available(*, unavailable)
extension SessionIdentity: Sendable {}
