import Authentication
import ClientProtocol
import Crypto

/// The part of a loop that HTTP requests may use.
///
/// - Confinement: loop
protocol RequestDoor: AnyObject {
    var settings: LoopSettings { get }
    /// The TLS context of new connections; nil when they do not use TLS.
    var tls: TLSContext? { get }
    /// Whether the server is being stopped.
    var isDraining: Bool { get }
    /// Why no session may begin here; nil when they may.
    var sessionRefusal: Refusal? { get }
    /// Issuers that are trusted, but whose keys are not here yet.
    var keylessIssuers: [String] { get }
    /// How many users are connected to this server.
    var onlineCount: Int { get }

    /// The claims of a token that is good and was not revoked.
    ///
    /// - Parameter errands: of nodes, whose tokens are good here.
    /// - Throws: `Refusal` of the class `auth`; of the class `retry` when the issuer's key is not known yet.
    func verify(token: String, openTo errands: Set<NodeErrand>) throws(Refusal) -> Claims

    /// The claims of a token whose signature and times are good, whether it was revoked or not; errors as of
    /// ``verify(token:openTo:)``.
    func read(token: String) throws(Refusal) -> Claims
}
