package import ClientProtocol
import Crypto
import Digits
package import Execution
package import JSON
import Model
import Notifying
import Push
import Store
import Triggers

/// `device`: registers the device of the session for pushes.
///
/// The device has one registration, and a target has one, too: when another user or device had registered it, their
/// registration ends. So the phone of a former user rings for nobody else. The other user gets a notification of it, since an
/// address that somebody has got hold of ends pushes in the same way.
///
/// - Confinement: any
package struct RegisterDevice: WriteUseCase {
    let registration: PushRegistration
    let device: String

    /// - Parameter offer: the push services that the server uses.
    /// - Throws: `bad-request`, naming the member at fault.
    package init(
        _ wanted: DeviceCommand.Registration, of device: SessionDevice, _ offer: PushOffer
    ) throws(Refusal) {
        try offer.check(wanted.platform)
        var registration: PushRegistration
        switch wanted.target {
        case .subscription(let endpoint, let keys):
            guard let address = WebAddress(endpoint), address.isEncrypted else {
                throw .badRequest(
                    field: "subscription.endpoint", "must be an https address without user and fragment")
            }
            registration = PushRegistration(
                wanted.platform, target: endpoint, .endpoint, keys: try Self.checked(keys, "subscription.keys"))
            registration.serverKey = offer.webPushKey
        case .apns(let token, let topic, let environment):
            guard offer.apnsTopics.contains(topic) else {
                throw .badRequest(field: "topic", "must be one of the apps that the server may push (apns-topics)")
            }
            registration = PushRegistration(wanted.platform, target: token, .token)
            registration.topic = topic
            registration.environment = environment
        case .fcmToken(let token): registration = PushRegistration(wanted.platform, target: token, .token)
        case .fcmInstallation(let id): registration = PushRegistration(wanted.platform, target: id, .fid)
        }
        if let keys = wanted.keys, registration.keys == nil { registration.keys = try Self.checked(keys, "keys") }
        if let open = wanted.open, WebAddress(open) == nil {
            throw .badRequest(field: "open", "must be an https or http address without user and fragment")
        }
        registration.privacy = wanted.privacy
        registration.open = wanted.open
        registration.language = device.language
        registration.tokenID = device.tokenID
        registration.tokenIssued = device.tokenIssued
        self.registration = registration
        self.device = device.name
    }

    /// The keys of a device, if messages can be sealed for them.
    ///
    /// - Throws: `bad-request`, naming the key at fault under `field`.
    private static func checked(
        _ keys: DeviceCommand.Keys, _ field: String
    ) throws(Refusal) -> PushRegistration.Keys {
        func bytes(_ text: String, _ name: String) throws(Refusal) -> [UInt8] {
            // Some clients write padding, which base64url does without.
            guard let bytes = Base64.url.decode(Array(text.utf8.prefix { $0 != UInt8(ascii: "=") })) else {
                throw .badRequest(field: "\(field).\(name)", "must be base64url")
            }
            return bytes
        }
        let (point, secret) = (try bytes(keys.publicKey, "p256dh"), try bytes(keys.secret, "auth"))
        do throws(DeviceKeys.Problem) {
            _ = try DeviceKeys(p256dh: point, auth: secret)
        } catch {
            throw .badRequest(field: "\(field).\(error.field)", error.reason)
        }
        return PushRegistration.Keys(publicKey: Base64.url.text(of: point), secret: Base64.url.text(of: secret))
    }

    package func perform(in context: WriteContext) throws -> JSONObject {
        let (id, devices) = (try context.user().id, context.transaction.pushDevices)
        let former = try devices.registrant(of: registration)
        try devices.put(registration, as: device, of: id, at: context.now)
        if let former, former.user != id { try tell(former.user, former.device, in: context) }
        try devices.deleteSurplus(of: id, kept: PushLimits.devicesMax)
        return ["device": .string(device)]
    }

    /// Tells a user that pushes of a device have ended.
    private func tell(_ user: StreamID, _ device: String, in context: WriteContext) throws {
        guard let name = try context.transaction.users.name(of: user) else { return }
        let text = NotificationText(
            title: "Pushes to one of your devices have ended",
            body:
                "Another account has registered the address of your device \(device). Open the app there to register it again."
        )
        var notifier = Notifier(in: context)
        _ = try notifier.notify(
            .user(name),
            NotificationDraft(
                ofDevice: StoredTexts(Localized(fallback: text, byLanguage: [:])), data: ["device": .string(device)]))
    }
}
