import Crypto
import Digits
package import Model

/// The keys of a device for sealed pushes (RFC 8291, section 2).
///
/// - Confinement: any
package struct PushKeys: Sendable, Hashable {
    /// A point of P-256: 65 bytes, the first is 4.
    package let p256dh: [UInt8]
    /// 16 bytes.
    package let auth: [UInt8]

    /// Checks the fields of a registration, which are base64url without padding.
    ///
    /// - Parameter field: The member that holds both: `subscription.keys`, or `keys`.
    package init(p256dh: String, auth: String, field: String) throws(RegistrationProblem) {
        guard let point = Base64.url.decode(Array(p256dh.utf8)), Self.isPoint(point) else {
            throw RegistrationProblem("\(field).p256dh", "must be a point of P-256: 65 bytes as base64url")
        }
        guard let secret = Base64.url.decode(Array(auth.utf8)), secret.count == 16 else {
            throw RegistrationProblem("\(field).auth", "must be 16 bytes as base64url")
        }
        self.p256dh = point
        self.auth = secret
    }

    /// Whether it is on the curve; a key made of another point would reveal our own.
    private static func isPoint(_ bytes: [UInt8]) -> Bool {
        guard bytes.count == 65, bytes[0] == 4 else { return false }
        do {
            _ = try VerificationKey(.p256(x: Array(bytes[1...32]), y: Array(bytes[33...])))
            return true
        } catch {
            return false
        }
    }
}

/// The subscription of a browser or a UnifiedPush app (Push API, `PushSubscription`).
///
/// - Confinement: any
package struct PushSubscription: Sendable, Hashable {
    package let endpoint: WebAddress
    package let keys: PushKeys

    /// Checks the fields of a registration. Whether the host may be connected to is decided when it is.
    package init(endpoint: String, p256dh: String, auth: String) throws(RegistrationProblem) {
        self.endpoint = try WebAddress(ofField: "subscription.endpoint", endpoint, isEncrypted: true)
        keys = try PushKeys(p256dh: p256dh, auth: auth, field: "subscription.keys")
    }
}

extension WebAddress {
    /// Reads the field `open`: the web app, whose fragment will name the entry.
    package init(open text: String) throws(RegistrationProblem) {
        self = try WebAddress(ofField: "open", text, isEncrypted: false)
    }

    /// - Parameter isEncrypted: whether it must be https.
    fileprivate init(ofField field: String, _ text: String, isEncrypted: Bool) throws(RegistrationProblem) {
        let bytesMax = PushLimits.addressBytesMax
        guard text.utf8.count <= bytesMax else { throw RegistrationProblem(field, "has at most \(bytesMax) bytes") }
        guard let address = WebAddress(text), address.isEncrypted || !isEncrypted else {
            let scheme = isEncrypted ? "an https address" : "an https or http address"
            throw RegistrationProblem(field, "must be \(scheme) with a host, without user and fragment")
        }
        self = address
    }
}
