import JSON
import Session
public import WatchWisePush

/// Pushes to this device. The permission to show notifications is the application's to ask for.
@WatchWiseActor
public struct Push {
    /// Which of Apple's two services knows a token.
    /// - Confinement: any
    public enum Environment: String, Sendable, Hashable {
        case production, sandbox
    }

    /// How much of a push its provider can read.
    /// - Confinement: any
    public enum Privacy: Sendable, Hashable {
        /// Title, text and data.
        case full
        /// A generic text: the notification service extension fetches the notification.
        case hidden
        /// A generic text, and everything else encrypted to these keys: the extension opens it.
        case sealed(PushKeys)

        var fields: JSONObject {
            switch self {
            case .full: ["privacy": "full"]
            case .hidden: ["privacy": "hidden"]
            case .sealed(let keys): ["privacy": "sealed", "keys": .object(keys.registration)]
            }
        }
    }

    let device: Device

    /// Registers this device with Apple's service. Call it at every start: the system may have given it another token.
    /// - Parameters:
    ///   - apnsToken: The token of the system, as hexadecimal digits.
    ///   - topic: The bundle identifier.
    /// - Throws: ``WatchWiseError``.
    public func register(
        apnsToken: String, topic: String, environment: Environment = .production, privacy: Privacy = .full
    ) async throws {
        let fields: JSONObject = [
            "platform": "apns", "token": .string(apnsToken), "topic": .string(topic),
            "environment": .string(environment.rawValue),
        ]
        try await device.pushes.begin(fields.with(privacy.fields))
    }

    /// Registers this device with Firebase.
    /// - Throws: ``WatchWiseError``.
    public func register(fcmToken: String, privacy: Privacy = .full) async throws {
        let fields: JSONObject = ["platform": "fcm", "token": .string(fcmToken)]
        try await device.pushes.begin(fields.with(privacy.fields))
    }

    /// Ends pushes to this device. Signing out does it, too.
    /// - Throws: ``WatchWiseError``.
    public func unregister() async throws { try await device.pushes.end() }
}
