package import Crypto
import Digits
import JSON
package import Model

/// The keys by which push services know this server (Voluntary Application Server Identification, RFC 8292): the present
/// one, and after a rotation also the last one.
///
/// A device subscribes with the public key, and its push service accepts requests for it only with this key: a new key
/// ends all subscriptions. So each device is addressed with the key with which it subscribed.
///
/// The keys are in `vapid-key` in the data folder, which only the owner can read: the private number of 32 bytes in
/// base64url on each line, the newest first.
/// - Confinement: any; loading blocks on the disk
package struct VAPIDKeys: Sendable, CustomStringConvertible, CustomReflectable {
    /// The file's name in the data folder.
    package static let fileName = "vapid-key"

    /// Newest first; at least one.
    private let secrets: [Secret]

    private init(secrets: [Secret]) { self.secrets = secrets }

    /// The public keys, newest first: 65 bytes in base64url, which begin with `B`.
    package var publicKeys: [String] { secrets.map(\.publicKey) }

    /// The key with which new devices subscribe (`applicationServerKey` of the Push API).
    package var publicKey: String { secrets[0].publicKey }

    /// The private half of one of the public keys.
    /// - Returns: nil when it is not one of ours, or not any more: nothing can be sent to a device that has it.
    package func signingKey(for publicKey: String) -> SigningKey? {
        secrets.first { $0.publicKey == publicKey }?.key
    }

    /// The header `Authorization` for requests to one push service (RFC 8292, sections 2 and 3): `vapid t=TOKEN,k=KEY`.
    /// - Parameters:
    ///   - publicKey: The key with which the device subscribed.
    ///   - origin: Scheme, host and, if it is not the usual one, port of the endpoint: `https://push.example.org`.
    ///   - contact: A `mailto:` or `https:` URL of the operator.
    ///   - expiresAt: At most 24 hours from now.
    /// - Returns: nil when the key is not one of ours.
    package func authorization(
        publicKey: String,
        origin: String,
        contact: String,
        expiresAt: Timestamp
    ) throws(TLSError) -> String? {
        guard let key = signingKey(for: publicKey) else { return nil }
        let claims: JSONValue = [
            "aud": .string(origin), "exp": .integer(expiresAt.milliseconds / 1000), "sub": .string(contact),
        ]
        return "vapid t=\(try JSONWebToken.sign(claims, with: key)),k=\(publicKey)"
    }

    /// The name of the type, without the keys.
    package var description: String { "VAPIDKeys" }

    /// Hides the keys from `dump` and debuggers.
    package var customMirror: Mirror { Mirror(self, children: []) }
}

// MARK: - The file

extension VAPIDKeys {
    /// Where the file is in a data folder.
    package static func path(inFolder folder: String) -> String {
        (folder.hasSuffix("/") ? folder : folder + "/") + fileName
    }

    /// Loads the keys of a file.
    /// - Returns: nil when there is no file.
    /// - Throws: when others can read the file, or its content is not valid.
    package static func load(path: String) throws(ServerSecretError) -> VAPIDKeys? {
        try SecretFile(path: path).load().map { VAPIDKeys(secrets: $0) }
    }

    /// Loads the keys of a file, or makes one; two processes that do so at once get the same.
    package static func loadOrCreate(path: String) throws(ServerSecretError) -> VAPIDKeys {
        VAPIDKeys(secrets: try SecretFile(path: path).loadOrCreate())
    }

    /// Puts a new key before the present one, which still addresses the devices that subscribed with it. The devices of
    /// an older key can no longer be addressed.
    package static func rotate(path: String) throws(ServerSecretError) -> VAPIDKeys {
        VAPIDKeys(secrets: try SecretFile(path: path).rotate())
    }

    /// One key and its forms.
    private struct Secret: SecretLine, Sendable {
        static let fileName = VAPIDKeys.fileName
        static let form = "base64url, each the 32 bytes of a private key of P-256"
        let line: String
        let key: SigningKey
        let publicKey: String

        init?(line: String) {
            guard let scalar = Base64.url.decode(Array(line.utf8)) else { return nil }
            do throws(TLSError) {
                self.init(key: try SigningKey(scalar: scalar))
            } catch {
                return nil
            }
        }

        init() throws(ServerSecretError) {
            do throws(TLSError) {
                self.init(key: try SigningKey(.es256))
            } catch {
                throw .noRandomness(reason: error.description)
            }
        }

        private init(key: SigningKey) {
            guard let scalar = key.scalar, let point = key.publicKey.point else {
                preconditionFailure("a key of P-256 has a number and a point")
            }
            self.key = key
            line = Base64.url.text(of: scalar)
            publicKey = Base64.url.text(of: point)
        }
    }
}
