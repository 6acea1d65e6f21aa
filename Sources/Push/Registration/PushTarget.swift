import Model

/// The way on which a device is reached.
///
/// - Confinement: any
package enum PushPlatform: String, Sendable, Hashable, CaseIterable {
    case webPush = "webpush"
    case unifiedPush = "unifiedpush"
    case apns
    case fcm
}

/// Which of Apple's two services knows a token: that for the App Store and TestFlight, or that for development.
///
/// - Confinement: any
package enum APNsEnvironment: String, Sendable, Hashable, CaseIterable {
    case production
    case sandbox

    /// Reads the field `environment`; production where it is absent.
    package init(field text: String?) throws(RegistrationProblem) {
        guard let text else {
            self = .production
            return
        }
        guard let environment = APNsEnvironment(rawValue: text) else {
            throw RegistrationProblem("environment", "must be production or sandbox")
        }
        self = environment
    }

    /// The one to try after `BadDeviceToken`.
    package var other: APNsEnvironment { self == .production ? .sandbox : .production }
}

/// A device of APNs.
///
/// - Confinement: any
package struct APNsTarget: Sendable, Hashable {
    /// In small hexadecimal digits.
    package let token: String
    /// The app's bundle id.
    package let topic: String
    package let environment: APNsEnvironment

    /// Checks the fields of a registration.
    ///
    /// - Parameter configured: The topics of the setting `apns-topics`.
    package init(
        token: String, topic: String, environment: String?, configured: [String]
    ) throws(RegistrationProblem) {
        let digits = PushLimits.tokenDigits
        let isHexadecimal = token.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte | 0x20)
        }
        guard isHexadecimal, digits.contains(token.utf8.count), token.utf8.count.isMultiple(of: 2) else {
            let range = "\(digits.lowerBound) to \(digits.upperBound)"
            throw RegistrationProblem("token", "must be an APNs token: bytes as \(range) hexadecimal digits")
        }
        guard configured.contains(topic) else {
            let known = configured.isEmpty ? "none" : configured.joined(separator: ", ")
            throw RegistrationProblem("topic", "must be a bundle id of the setting apns-topics: \(known)")
        }
        self.token = token.lowercased()
        self.topic = topic
        self.environment = try APNsEnvironment(field: environment)
    }

    /// A target that was stored.
    package init(token: String, topic: String, environment: APNsEnvironment) {
        self.token = token
        self.topic = topic
        self.environment = environment
    }
}

/// A device of FCM, by one of its two names.
///
/// - Confinement: any
package enum FCMTarget: Sendable, Hashable {
    case token(String)
    /// The id of the app's Firebase installation; Google's later name for a device.
    case installation(String)

    /// Checks the fields of a registration: one of them must be there.
    package init(token: String?, installation: String?) throws(RegistrationProblem) {
        switch (token, installation) {
        case (let token?, nil):
            let bytesMax = PushLimits.fcmTokenBytesMax
            guard Identifier.isVisibleASCII(token, bytesMax: bytesMax) else {
                throw RegistrationProblem("token", "must be an FCM token: 1 to \(bytesMax) visible ASCII characters")
            }
            self = .token(token)
        case (nil, let id?):
            // 17 bytes in base64url without their last characters.
            guard id.utf8.count == 22, id.utf8.allSatisfy({ $0.isASCIILetterOrDigit || "-_".utf8.contains($0) }) else {
                throw RegistrationProblem("fid", "must be a Firebase installation id: 22 of A-Z a-z 0-9 _ -")
            }
            self = .installation(id)
        case (_?, _?): throw RegistrationProblem("fid", "must be absent where token is given")
        case (nil, nil): throw RegistrationProblem("token", "is missing; fcm needs token or fid")
        }
    }
}
