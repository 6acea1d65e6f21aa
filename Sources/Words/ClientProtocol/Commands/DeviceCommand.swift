import Digits
import JSON
package import Model

/// Registers the device of the session for pushes, or ends a registration.
///
/// - Confinement: any
package struct DeviceCommand: Command {
    package static let name = "device"
    package static let needsSession = true

    package var action: Action

    /// The task of the command.
    ///
    /// - Confinement: any
    package enum Action: Sendable, Hashable {
        case register(Registration)
        /// Nil for the device of the session.
        case remove(device: String?)
    }

    /// The members of a registration as the client gave them. The use case checks what they say.
    ///
    /// - Confinement: any
    package struct Registration: Sendable, Hashable {
        package var platform: PushPlatform
        package var target: Target
        package var privacy = PushPrivacy.full
        /// The device's own keys, for privacy `sealed`.
        package var keys: Keys?
        /// The URL of the web app.
        package var open: String?
    }

    /// How the push service knows the device.
    ///
    /// - Confinement: any
    package enum Target: Sendable, Hashable {
        /// Web Push and UnifiedPush.
        case subscription(endpoint: String, Keys)
        /// APNs. `topic` is the app's bundle id.
        case apns(token: String, topic: String, environment: APNsEnvironment)
        /// FCM, by a registration token.
        case fcmToken(String)
        /// FCM, by the id of a Firebase installation.
        case fcmInstallation(String)
    }

    /// Two keys of the device (RFC 8291, section 2), in base64url.
    ///
    /// - Confinement: any
    package struct Keys: Sendable, Hashable {
        /// `p256dh`: a point of the curve P-256.
        package var publicKey: String
        /// `auth`.
        package var secret: String
    }
}

extension DeviceCommand {
    package init(_ fields: Fields) throws(Refusal) {
        if let remove = fields.optional("remove") {
            action = .remove(device: try Self.removed(remove))
        } else {
            action = .register(try Registration(fields))
        }
    }

    /// The id of a device, or `true` for the device of the session.
    private static func removed(_ field: Field) throws(Refusal) -> String? {
        guard field.token.kind == .bool else { return try field.deviceID() }
        guard try field.bool() else { throw field.refusal("must be true or the id of a device") }
        return nil
    }
}

extension DeviceCommand.Registration {
    fileprivate init(_ fields: Fields) throws(Refusal) {
        platform = try fields.required("platform").word(PushPlatform.self)
        target = try DeviceCommand.Target(of: platform, fields)
        privacy = try fields.optional("privacy")?.word(PushPrivacy.self) ?? .full
        if let keys = fields.optional("keys") { self.keys = try DeviceCommand.Keys(keys.object()) }
        let isSubscription = if case .subscription = target { true } else { false }
        if privacy == .sealed, keys == nil, !isSubscription {
            throw .badRequest(field: "keys", "is required with the privacy sealed")
        }
        open = try fields.optional("open")?.visibleASCII(bytesMax: FieldLimits.addressCharactersMax)
    }
}

extension DeviceCommand.Target {
    fileprivate init(of platform: PushPlatform, _ fields: Fields) throws(Refusal) {
        switch platform {
        case .webpush, .unifiedpush:
            let subscription = try fields.required("subscription").object()
            let endpoint = try subscription.required("endpoint").visibleASCII(bytesMax: PushLimits.endpointBytesMax)
            let keys = try DeviceCommand.Keys(subscription.required("keys").object())
            self = .subscription(endpoint: endpoint, keys)
        case .apns:
            let token = try fields.required("token")
                .form("64 to 200 hexadecimal digits, two for each byte", Self.hexadecimal)
            let topic = try fields.required("topic").visibleASCII(bytesMax: PushLimits.topicBytesMax)
            let environment = try fields.optional("environment")?.word(APNsEnvironment.self)
            self = .apns(token: token, topic: topic, environment: environment ?? .production)
        case .fcm:
            if let installation = fields.optional("fid") {
                guard fields.optional("token") == nil else {
                    throw installation.refusal("must be absent where token is given")
                }
                self = .fcmInstallation(try installation.form("22 of A-Z a-z 0-9 _ -", Self.installation))
            } else {
                self = .fcmToken(try fields.required("token").visibleASCII(bytesMax: PushLimits.tokenBytesMax))
            }
        }
    }

    /// A token of APNs in the form in which it is stored; nil when it is not one.
    private static func hexadecimal(_ text: String) -> String? {
        guard PushLimits.apnsTokenDigits.contains(text.utf8.count),
            let bytes = Hexadecimal.decode(Array(text.utf8)[...])
        else { return nil }
        return String(decoding: Hexadecimal.encode(bytes), as: UTF8.self)
    }

    /// The id of a Firebase installation; nil for another text.
    private static func installation(_ text: String) -> String? {
        let count = PushLimits.installationCharacters
        let isInstallation =
            text.utf8.count == count
            && Identifier.matches(text, lengthMax: count, extra: Identifier.base64URLExtra)
        return isInstallation ? text : nil
    }
}

extension DeviceCommand.Keys {
    fileprivate init(_ fields: Fields) throws(Refusal) {
        publicKey = try fields.required("p256dh").visibleASCII(bytesMax: PushLimits.keyTextBytesMax)
        secret = try fields.required("auth").visibleASCII(bytesMax: PushLimits.keyTextBytesMax)
    }
}

extension Field {
    /// One of the words that a type knows.
    fileprivate func word<Word: RawRepresentable<String> & CaseIterable>(_ type: Word.Type) throws(Refusal) -> Word {
        let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
        return try form("one of \(words)") { Word(rawValue: $0) }
    }
}
