package import Model

/// How pushes are sent, and to which platforms.
///
/// - Confinement: any
package struct PushConfiguration: Sendable, Hashable {
    /// How push services reach the operator (RFC 8292, section 2.1): a `mailto:` or `https:` address. Without it there is
    /// no Web Push.
    package var contact: String?
    package var apnsSettings = APNsSettings()
    package var fcmSettings = FCMSettings()
    /// Milliseconds from the commit until a user with a live session is pushed; see ``holdMilliseconds(of:)``.
    package var holdMilliseconds = PushLimits.holdMilliseconds
    package var badge = PushBadge.both
    /// Whether chat messages are pushed, or only notifications.
    package var messages = true
    /// The web app that a tap opens where the device has named none; nil for none.
    package var open: WebAddress?
    /// The most pushes of one topic in a second.
    package var rate = PushLimits.topicRate
    /// Addresses besides the public internet that pushes may go to.
    package var allow = AddressRanges.none

    package init() {}

    /// Nil when nothing is pushed by APNs.
    package var apns: APNsConfiguration? {
        guard let keyPath = apnsSettings.keyPath, let keyID = apnsSettings.keyID, let team = apnsSettings.team else {
            return nil
        }
        return APNsConfiguration(
            keyPath: keyPath, keyID: keyID, team: team, topics: apnsSettings.topics,
            allowsCritical: apnsSettings.allowsCritical, url: apnsSettings.url)
    }

    /// Nil when nothing is pushed by FCM.
    package var fcm: FCMConfiguration? {
        fcmSettings.serviceAccountPath.map { FCMConfiguration(serviceAccountPath: $0, url: fcmSettings.url) }
    }

    /// Milliseconds from the commit until a user with a live session is pushed: the device that is looked at has this time
    /// to acknowledge.
    package func holdMilliseconds(of level: InterruptionLevel) -> Int64 {
        switch level {
        case .passive, .active: holdMilliseconds
        case .timeSensitive: holdMilliseconds / 2
        case .critical: 0
        }
    }
}

/// The things that the badge of an app counts.
///
/// - Confinement: any
package enum PushBadge: String, Sendable, Hashable, CaseIterable {
    /// Unread chats and unread notifications.
    case both
    case chats
    case notifications
}

/// Everything that pushes by APNs need.
///
/// - Confinement: any
package struct APNsConfiguration: Sendable, Hashable {
    /// The file with the private key that Apple gave.
    package let keyPath: String
    /// Ten characters that name the key.
    package let keyID: String
    /// Ten characters that name the developer's team.
    package let team: String
    /// The bundle ids of the apps that may be pushed; at least one.
    package let topics: [String]
    /// Whether Apple lets these apps send critical alerts.
    package let allowsCritical: Bool
    /// Another server than Apple's, for tests, as `SCHEME://HOST[:PORT]`.
    package let url: String?
}

/// Everything that pushes by FCM need.
///
/// - Confinement: any
package struct FCMConfiguration: Sendable, Hashable {
    /// The JSON file of a service account.
    package let serviceAccountPath: String
    /// Another server than Google's, for tests, as `SCHEME://HOST[:PORT]`.
    package let url: String?
}

/// The settings of APNs, each as it was given. ``PushConfiguration/apns`` is nil until the key, its id and the team are
/// there, which a start demands.
///
/// - Confinement: any
package struct APNsSettings: Sendable, Hashable {
    package var keyPath: String?
    package var keyID: String?
    package var team: String?
    package var topics: [String] = []
    package var allowsCritical = false
    package var url: String?

    package init() {}
}

/// The settings of FCM, each as it was given.
///
/// - Confinement: any
package struct FCMSettings: Sendable, Hashable {
    package var serviceAccountPath: String?
    package var url: String?

    package init() {}
}
