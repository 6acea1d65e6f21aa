import ClientProtocol
import Model

/// The push services that the server is configured for, as registrations are judged by it.
///
/// - Confinement: any
package struct PushOffer: Sendable, Hashable {
    /// The server's public key for Web Push, in base64url; nil when it sends none.
    package var webPushKey: String?
    /// The bundle ids of the apps that it may push by APNs; empty when it sends none there.
    package var apnsTopics: Set<String> = []
    package var hasFCM = false

    package init() {}

    /// - Throws: `bad-request` when the server does not push by the platform.
    func check(_ platform: PushPlatform) throws(Refusal) {
        let (isOffered, setting) =
            switch platform {
            case .webpush, .unifiedpush: (webPushKey != nil, "push-contact")
            case .apns: (!apnsTopics.isEmpty, "apns-key")
            case .fcm: (hasFCM, "fcm-service-account")
            }
        guard isOffered else {
            throw .badRequest(
                field: "platform",
                "\(platform.rawValue) is not offered by this server: its operator has not set \(setting)")
        }
    }
}
