import Authentication
import Configuration
import Push
import Services
import Telemetry

/// The start of pushes: all key files are read, so that a wrong one ends the start with a sentence.
///
/// - Confinement: the thread that starts the server
enum PushStart {
    /// The platforms of the settings, for registrations. The first start with Web Push makes its key.
    ///
    /// - Throws: `StartProblem` when a file cannot be used.
    static func offer(_ configuration: ServerConfiguration, _ log: ServerLog) throws(StartProblem) -> PushOffer {
        let push = configuration.push
        var offer = PushOffer()
        if let apns = push.apns {
            let key = try read("apns-key") { () throws(ProviderFileProblem) in try APNsKey(path: apns.keyPath) }
            warn(isOpenToOthers: key.isOpenToOthers, "key of APNs", apns.keyPath, log)
            offer.apnsTopics = Set(apns.topics)
        }
        if let fcm = push.fcm {
            let path = fcm.serviceAccountPath
            let account = try read("fcm-service-account") { () throws(ProviderFileProblem) in
                try FCMAccount(path: path)
            }
            warn(isOpenToOthers: account.isOpenToOthers, "key of the service account", path, log)
            offer.hasFCM = true
        }
        if push.contact != nil { offer.webPushKey = try webPushKey(configuration.vapidKeyPath) }
        return offer
    }

    private static func read<Value>(
        _ setting: String, _ file: () throws(ProviderFileProblem) -> Value
    ) throws(StartProblem) -> Value {
        do {
            return try file()
        } catch {
            throw StartProblem(isConfiguration: true, "\(setting): \(error)")
        }
    }

    private static func warn(isOpenToOthers: Bool, _ what: String, _ path: String, _ log: ServerLog) {
        guard isOpenToOthers else { return }
        log.warning("every user of this machine can read the \(what); make it private with chmod 600", ["file": path])
    }

    private static func webPushKey(_ path: String) throws(StartProblem) -> String {
        do {
            return try VAPIDKeys.loadOrCreate(path: path).publicKey
        } catch {
            throw StartProblem(isConfiguration: false, "push-contact: \(error)")
        }
    }

    /// The key of the names under which devices keep pushes, derived from the server's secret for this purpose alone.
    static func tagKey(_ secret: ServerSecret) -> PushTagKey {
        PushTagKey(secret.authenticate(Array("watchwise push tags".utf8)))
    }
}
