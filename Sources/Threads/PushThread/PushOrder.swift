import Crypto
import Digits
import Model
import Push
import Store

/// One push to one device, ready to take the form of its platform.
///
/// - Confinement: any
struct PushOrder: Sendable {
    let device: PushDeviceEntry
    let content: PushContent
    /// Of this try: 1, 2, 3 …
    let number: Int
    let variant: PushVariant

    /// The service to send it to; nil when the device's endpoint is not an address.
    var service: PushServiceName? {
        PushServiceName(of: device.registration, isOther: variant == .otherEnvironment)
    }

    /// The privacy of the push.
    ///
    /// - Throws: when the keys of the device cannot be used.
    func cover() throws -> PushCover {
        if variant == .hidden { return .hidden }
        switch device.registration.privacy {
        case .full: return .full
        case .hidden: return .hidden
        case .sealed: return .sealed(try seal())
        }
    }

    /// Encrypts for the device.
    ///
    /// - Throws: when the device has no keys, which the registration excludes.
    func seal() throws -> PushSealing {
        guard let keys = device.registration.keys, let point = Base64.url.decode(Array(keys.publicKey.utf8)),
            let secret = Base64.url.decode(Array(keys.secret.utf8))
        else { throw PushUnsendable(reason: "the device has no keys that can be used") }
        let known = try DeviceKeys(p256dh: point, auth: secret)
        return { try MessageSealing.seal($0, for: known) }
    }
}

/// A push that cannot be made, with the reason as a phrase.
///
/// - Confinement: any
struct PushUnsendable: Error, Sendable, Hashable, CustomStringConvertible {
    let reason: String
    var description: String { reason }
}

/// The end of an order.
///
/// - Confinement: any
enum PushEnd: Sendable, Hashable {
    /// The service has answered, or did not.
    ///
    /// - Parameters:
    ///   - gone: the removed entries that the push named.
    ///   - note: more for the record of the answer, such as the request's id.
    case judged(PushVerdict, gone: [PushTag], note: String)
    /// It was not sent, because its service waits.
    case postponed(until: Timestamp, reason: String)
    /// It cannot be sent at all.
    case unsendable(reason: String)
}
