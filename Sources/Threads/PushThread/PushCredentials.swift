import Authentication
import Configuration
import Crypto
import Model
import Push
import Telemetry

/// The keys by which push services know this server, and the tokens made with them.
///
/// - Confinement: store (the thread of pushes); reading keys blocks on the disk
struct PushCredentials {
    private var vapidFile: PushKeyFile<VAPIDKeys>?
    private var apnsFile: PushKeyFile<APNsKey>?
    private var fcmFile: PushKeyFile<FCMAccount>?
    private let contact: String?
    private var vapidTokens: VAPIDTokens?
    private var apnsTokens: KeptAPNsTokens?
    private var fcmTokens = FCMTokens()
    private var revisions: [PushPlatform: Int] = [:]

    /// - Parameter folder: The data folder.
    init(_ configuration: PushConfiguration, folder: String, _ log: ServerLog) {
        contact = configuration.contact
        if configuration.contact != nil {
            vapidFile = PushKeyFile(path: VAPIDKeys.path(inFolder: folder)) { try VAPIDKeys.loadOrCreate(path: $0) }
        }
        if let apns = configuration.apns {
            apnsFile = PushKeyFile(path: apns.keyPath) { try APNsKey(path: $0) }
        }
        if let fcm = configuration.fcm {
            fcmFile = PushKeyFile(path: fcm.serviceAccountPath) { try FCMAccount(path: $0) }
        }
        vapidTokens = contact.map(VAPIDTokens.init)
        apnsTokens = configuration.apns.map { KeptAPNsTokens($0, folder: folder, log) }
    }

    /// Whether the server is configured to push by a platform.
    func has(_ platform: PushPlatform) -> Bool {
        switch platform {
        case .webpush, .unifiedpush: vapidFile != nil
        case .apns: apnsFile != nil
        case .fcm: fcmFile != nil
        }
    }

    /// Looks at the files when they are needed next. Tokens of the same keys stay: APNs takes only three an hour.
    mutating func lookAgain() {
        vapidFile?.lookAgain()
        apnsFile?.lookAgain()
        fcmFile?.lookAgain()
    }

    /// Reads the key of a platform, if it has changed. Tokens of an earlier key are forgotten.
    ///
    /// - Returns: whether there is another key than at the last call.
    /// - Throws: when the file cannot be used.
    mutating func refresh(_ platform: PushPlatform, tick: Int64) throws -> Bool {
        let revision: Int
        let (name, earlier): (PushPlatform, Int?)
        switch platform {
        case .webpush, .unifiedpush:
            (name, earlier) = (.webpush, revisions[.webpush])
            _ = try vapidFile?.key(tick: tick)
            revision = vapidFile?.revision ?? 0
            if revision != earlier { vapidTokens = contact.map(VAPIDTokens.init) }
        case .apns:
            (name, earlier) = (.apns, revisions[.apns])
            _ = try apnsFile?.key(tick: tick)
            revision = apnsFile?.revision ?? 0
            if revision != earlier { apnsTokens?.changeKey() }
        case .fcm:
            (name, earlier) = (.fcm, revisions[.fcm])
            _ = try fcmFile?.key(tick: tick)
            revision = fcmFile?.revision ?? 0
            if revision != earlier { fcmTokens = FCMTokens() }
        }
        revisions[name] = revision
        return earlier.map { $0 != revision } ?? false
    }
}

// MARK: - Tokens

extension PushCredentials {
    /// The proof for an endpoint of Web Push.
    ///
    /// - Parameter publicKey: The key with which the device subscribed.
    /// - Returns: nil when that key is not one of ours any more.
    mutating func vapidProof(
        for endpoint: WebAddress, publicKey: String, at now: Timestamp, tick: Int64
    ) throws -> VAPIDTokens.Proof? {
        guard let keys = try vapidFile?.key(tick: tick) else { return nil }
        return try vapidTokens?.proof(for: endpoint, publicKey: publicKey, at: now) { statement in
            try keys.authorization(
                publicKey: statement.publicKey, origin: statement.origin, contact: statement.contact,
                expiresAt: statement.expiresAt)
        }
    }

    /// The token for APNs; nil when the server does not push there.
    mutating func apnsToken(at now: Timestamp, tick: Int64) throws -> APNsTokens.Token? {
        guard let key = try apnsFile?.key(tick: tick).key else { return nil }
        return try apnsTokens?.token(signedWith: key, at: now)
    }

    /// The access token of FCM, and whether to fetch a new one now.
    mutating func fcmNeed(at now: Timestamp) -> FCMTokens.Need { fcmTokens.need(at: now) }

    /// The service account; nil when the server does not push by FCM.
    mutating func fcmAccount(tick: Int64) throws -> FCMAccount? { try fcmFile?.key(tick: tick) }

    /// The request for an access token.
    mutating func fcmGrant(at now: Timestamp, tick: Int64) throws -> PushRequest? {
        guard let account = try fcmAccount(tick: tick) else { return nil }
        let grant = FCMGrant(email: account.email, keyID: account.keyID, tokenURL: account.tokenURL)
        return try grant.request(at: now) { token in
            try JSONWebToken.sign(token.claims, keyID: token.keyID, with: account.key)
        }
    }

    /// Notes the end of that request.
    ///
    /// - Returns: the time of the next one, after one that failed.
    mutating func endGrant(_ answer: FCMGrant.Answer, at now: Timestamp) -> Timestamp? {
        fcmTokens.end(answer, at: now)
    }

    /// Forgets a token that its service called old.
    mutating func forgetToken(_ made: Timestamp, of service: PushServiceName) {
        switch service {
        case .origin(let origin):
            if let address = WebAddress(origin) { vapidTokens?.forget(address) }
        case .apns: apnsTokens?.refuse(made)
        case .fcm: fcmTokens.forget(made)
        }
    }
}
