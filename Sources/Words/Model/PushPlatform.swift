/// A kind of push service, which brings a message to a device whose app is not running.
///
/// - Confinement: any
package enum PushPlatform: String, Sendable, Hashable, CaseIterable {
    /// Web Push (RFC 8030): browsers.
    case webpush
    /// Web Push through a distributor that the owner of the phone has chosen.
    case unifiedpush
    /// Apple Push Notification service.
    case apns
    /// Firebase Cloud Messaging.
    case fcm
}

/// How much of a push its provider can read.
///
/// - Confinement: any
package enum PushPrivacy: String, Sendable, Hashable, CaseIterable {
    /// Title, body and data.
    case full
    /// A generic text: the app fetches the notification.
    case hidden
    /// A generic text, and the content encrypted for a key of the device.
    case sealed
}

/// Which of Apple's two services knows a token: that for the App Store and TestFlight, or that for development.
///
/// - Confinement: any
package enum APNsEnvironment: String, Sendable, Hashable, CaseIterable {
    case production
    case sandbox

    /// The one to try after `BadDeviceToken`.
    package var other: APNsEnvironment { self == .production ? .sandbox : .production }
}
