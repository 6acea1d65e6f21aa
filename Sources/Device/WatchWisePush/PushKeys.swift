import Digits
package import JSON

/// The keys with which a device opens sealed pushes. The server gets the public half and the shared secret, the private half stays
/// here; Apple sees neither.
///
/// Make them once, keep ``bytes`` in the keychain, in a group that the application shares with its notification service extension,
/// and register them with the device. New keys open no push that was sealed to the old ones.
/// - Confinement: any
public struct PushKeys: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// The private half: a number in 32 bytes, big-endian.
    let scalar: [UInt8]
    /// The secret that the server shares, so that nobody else can make pushes for this device: 16 bytes (RFC 8291, section 3.2).
    let secret: [UInt8]
    /// The public half: an uncompressed point of P-256, 65 bytes.
    let point: [UInt8]

    private static let secretBytes = 16

    /// Makes new keys of the system's random numbers.
    /// - Throws: ``PushError/keys(_:)`` when the system gives none.
    public init() throws(PushError) {
        do {
            try self.init(scalar: PushCipher.newScalar(), secret: PushCipher.random(Self.secretBytes))
        } catch {
            throw .keys("the system gives no random numbers")
        }
    }

    /// Takes keys as they were kept.
    /// - Parameter bytes: ``bytes`` of the keys.
    /// - Throws: ``PushError/keys(_:)`` when they are no keys.
    public init(bytes: [UInt8]) throws(PushError) {
        guard bytes.count == 32 + Self.secretBytes else {
            throw .keys("kept keys have 48 bytes, not \(bytes.count)")
        }
        do {
            try self.init(scalar: Array(bytes.prefix(32)), secret: Array(bytes.dropFirst(32)))
        } catch {
            throw .keys("the first 32 bytes are no private key of P-256")
        }
    }

    init(scalar: [UInt8], secret: [UInt8]) throws {
        self.scalar = scalar
        self.secret = secret
        point = try PushCipher.point(of: scalar)
    }

    /// The keys as the application keeps them: 48 bytes, as secret as a password.
    public var bytes: [UInt8] { scalar + secret }

    /// The half for the server: the member `keys` of the command `device`.
    package var registration: JSONObject {
        ["p256dh": .string(Base64.url.text(of: point)), "auth": .string(Base64.url.text(of: secret))]
    }

    /// The name of the type, without the keys.
    public var description: String { "PushKeys" }
    /// Hides the keys from `dump` and debuggers.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Why a push or its keys cannot be read.
/// - Confinement: any
public enum PushError: Error, Sendable, Hashable, CustomStringConvertible {
    /// These are no keys; the sentence says why.
    case keys(String)
    /// It is sealed, and there are no keys.
    case sealed
    /// It is sealed to other keys, or was changed on its way.
    case notOpened
    /// It is no push of a WatchWise server that this library knows; the sentence says why.
    case malformed(String)
    /// The server does not give the notification; the sentence says why.
    case notFetched(String)

    public var description: String {
        switch self {
        case .keys(let reason): "the keys cannot be used: \(reason)"
        case .sealed: "the push is sealed, and no keys were given"
        case .notOpened: "the push is sealed to other keys, or was changed on its way"
        case .malformed(let reason): "the push cannot be read: \(reason)"
        case .notFetched(let reason): "the notification cannot be fetched: \(reason)"
        }
    }
}
