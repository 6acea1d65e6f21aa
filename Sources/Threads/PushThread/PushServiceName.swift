import Model
import Push
import Store

/// A push service as the sender counts requests and waits: the origin of an endpoint, or a platform.
///
/// - Confinement: any
enum PushServiceName: Sendable, Hashable {
    /// A service of Web Push or UnifiedPush.
    case origin(String)
    case apns(APNsEnvironment)
    case fcm

    /// The service that knows a device; nil when its endpoint is not an address.
    ///
    /// - Parameter isOther: whether to take Apple's other environment.
    init?(of registration: PushRegistration, isOther: Bool) {
        switch registration.platform {
        case .webpush, .unifiedpush:
            guard let address = WebAddress(registration.target) else { return nil }
            self = .origin(address.origin)
        case .apns:
            let environment = registration.environment ?? .production
            self = .apns(isOther ? environment.other : environment)
        case .fcm: self = .fcm
        }
    }

    /// For counts; origins of UnifiedPush count as those of Web Push.
    var platform: PushPlatform {
        switch self {
        case .origin: .webpush
        case .apns: .apns
        case .fcm: .fcm
        }
    }

    /// Whether it is APNs or FCM, which know this server by a key of its operator.
    var isPlatform: Bool {
        switch self {
        case .origin: false
        case .apns, .fcm: true
        }
    }

    /// For the log: the host, never a path.
    var text: String {
        switch self {
        case .origin(let origin): origin
        case .apns(let environment): "apns \(environment.rawValue)"
        case .fcm: "fcm"
        }
    }
}
