import Log
package import Model
import Store

/// How a device is reached by a push service, as it was registered.
///
/// - Confinement: any
package struct PushRegistration: Sendable, Hashable {
    /// The kind of a target.
    package enum TargetKind: String, Sendable, Hashable {
        /// The URL to which Web Push posts.
        case endpoint
        /// The token of APNs or FCM.
        case token
        /// An id of a Firebase installation.
        case fid
    }

    /// The device's own keys for encryption (RFC 8291), in base64url.
    package struct Keys: Sendable, Hashable {
        /// `p256dh`.
        package let publicKey: String
        /// `auth`.
        package let secret: String

        package init(publicKey: String, secret: String) {
            self.publicKey = publicKey
            self.secret = secret
        }
    }

    package var platform: PushPlatform
    /// Never in a log and in no answer: everybody who has it can push to the device.
    package var target: String
    package var targetKind: TargetKind
    package var keys: Keys?
    /// The app's bundle id; only of APNs.
    package var topic: String?
    /// Only of APNs.
    package var environment: APNsEnvironment?
    package var privacy: PushPrivacy
    /// The URL that a click on the notification opens.
    package var open: String?
    /// The language of the device.
    package var language: LanguageTag?
    /// The server's public key with which a browser has subscribed.
    package var serverKey: String?
    /// The `jti` of the token that registered the device.
    package var tokenID: String?
    /// The time of that token (`iat`); a token without it counts as the oldest.
    package var tokenIssued: Timestamp?

    package init(
        _ platform: PushPlatform, target: String, _ targetKind: TargetKind, keys: Keys? = nil,
        privacy: PushPrivacy = .full
    ) {
        self.platform = platform
        self.target = target
        self.targetKind = targetKind
        self.keys = keys
        self.privacy = privacy
    }
}

/// A registered device as stored.
///
/// - Confinement: any
package struct PushDeviceEntry: Sendable, Hashable {
    package let id: Int64
    package let user: StreamID
    /// The device's id, as its sessions say it in `hello`.
    package let device: String
    package let registration: PushRegistration
    /// When it was registered with its present target.
    package let registered: Timestamp
    /// When it was last used: by its registration, or by a `hello`, which is noted once a day.
    package let used: Timestamp
    /// When its push service last accepted a push; nil when it never did.
    package let succeeded: Timestamp?
    /// Pushes that failed since then.
    package let failures: Int64
    /// Why the last push was not accepted, for people; nil when it was.
    package let problem: String?
    /// When it last got a push of its own that only takes something back; nil when it never did.
    package let withdrawn: Timestamp?
}

extension PushDeviceEntry {
    private enum Column: Int, ColumnName {
        case id, user, device, platform, target, targetKind, publicKey, secret, topic, environment, privacy, open,
            language
        case serverKey, tokenId, tokenIssued, registered, used, succeeded, failures, problem, withdrawn
    }

    static let query = "SELECT \(columns()) FROM push_devices"

    /// The columns as a query selects them.
    ///
    /// - Parameter prefix: the table's name in the query, with a full stop.
    static func columns(_ prefix: String = "") -> String { Column.list(prefix) }

    init(_ row: Columns) throws {
        id = try row[Column.id]
        guard let platform = try PushPlatform(rawValue: row[Column.platform]),
            let kind = try PushRegistration.TargetKind(rawValue: row[Column.targetKind]),
            let privacy = try PushPrivacy(rawValue: row[Column.privacy])
        else { throw StoredValueProblem(place: "push_devices \(id)") }
        var keys: PushRegistration.Keys?
        if let publicKey: String = try row.optional(Column.publicKey) {
            keys = PushRegistration.Keys(publicKey: publicKey, secret: try row[Column.secret])
        }
        var registration = PushRegistration(
            platform, target: try row[Column.target], kind, keys: keys, privacy: privacy)
        registration.topic = try row.optional(Column.topic)
        let environment: String? = try row.optional(Column.environment)
        registration.environment = environment.flatMap(APNsEnvironment.init)
        registration.open = try row.optional(Column.open)
        let language: String? = try row.optional(Column.language)
        registration.language = language.flatMap(LanguageTag.init)
        registration.serverKey = try row.optional(Column.serverKey)
        registration.tokenID = try row.optional(Column.tokenId)
        registration.tokenIssued = try row.optional(Column.tokenIssued)
        self.registration = registration
        user = try row[Column.user]
        device = try row[Column.device]
        registered = try row[Column.registered]
        used = try row[Column.used]
        succeeded = try row.optional(Column.succeeded)
        failures = try row[Column.failures]
        problem = try row.optional(Column.problem)
        withdrawn = try row.optional(Column.withdrawn)
    }
}
