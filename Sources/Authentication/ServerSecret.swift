import Digits
import Files
import Crypto

/// The 32 random bytes by which a server knows its own tokens. They are never printed.
///
/// They lie in `DIR/secret` as 64 hexadecimal digits and a line end, readable by the owner alone.
/// - Confinement: any; loading blocks on the disk
package struct ServerSecret: Sendable, CustomStringConvertible, CustomReflectable {
    /// The secret's size.
    package static let byteCount = 32
    /// With what the audiences of secrets begin.
    static let audiencePrefix = "ww:"
    /// Its name in the data folder.
    package static let fileName = "secret"

    private let bytes: [UInt8]
    /// For whom the tokens signed with it are (`aud`): made from the secret, and tells nothing of it. It has fifteen
    /// letters, which a `String` holds without memory of its own.
    package let audience: String

    private init(bytes: [UInt8]) {
        self.bytes = bytes
        let digest = HMAC.sha256(key: bytes, message: Array("watchwise audience".utf8))
        audience =
            ServerSecret.audiencePrefix + Base64.url.text(of: Array(digest.prefix(9)))
    }

    /// An audience that nobody else has, for tokens that are to end with the server that signs them.
    /// - Throws: when the system has no randomness to give.
    package static func newAudience() throws(ServerSecretError) -> String { try ServerSecret().audience }

    /// Makes a new one.
    /// - Throws: when the system has no randomness to give.
    package init() throws(ServerSecretError) {
        do {
            self.init(bytes: try SecureRandom.bytes(ServerSecret.byteCount))
        } catch {
            throw .noRandomness(reason: error.description)
        }
    }

    /// Reads hexadecimal digits, with or without a line end.
    /// - Returns: nil when they are not exactly 64.
    package init?(hexadecimal text: [UInt8]) {
        let digits = text.last == UInt8(ascii: "\n") ? text.dropLast() : text[...]
        guard digits.count == 2 * ServerSecret.byteCount, let bytes = Hexadecimal.decode(digits) else { return nil }
        self.init(bytes: bytes)
    }

    /// Loads the secret of a data folder, or makes one there; two processes that do so at once get the same.
    /// - Parameter folder: exists already.
    package static func loadOrCreate(inFolder folder: String) throws(ServerSecretError) -> ServerSecret {
        if let secret = try load(fromFolder: folder) { return secret }
        let secret = try ServerSecret()
        let file = file(inFolder: folder)
        let temporaryName = ".\(fileName)." + String(decoding: try ServerSecret().hexadecimal.prefix(16), as: UTF8.self)
        do {
            if try file.create(secret.hexadecimal + [UInt8(ascii: "\n")], temporaryName: temporaryName) {
                return secret
            }
        } catch {
            throw .file(error.description)
        }
        guard let other = try load(fromFolder: folder) else {
            throw .file(
                "\(file.path) was made and removed by somebody else")
        }
        return other
    }

    /// Loads the secret of a data folder.
    /// - Returns: nil when there is none.
    /// - Throws: when it is open to others, or not what it should be.
    package static func load(fromFolder folder: String) throws(ServerSecretError) -> ServerSecret? {
        let file = file(inFolder: folder)
        do {
            guard let contents = try file.read(bytesMax: 1024) else { return nil }
            guard let secret = ServerSecret(hexadecimal: contents) else {
                throw ServerSecretError.malformed(path: file.path)
            }
            return secret
        } catch let error as ServerSecretError {
            throw error
        } catch {
            throw .file("\(error)")
        }
    }

    /// The secret's signature of a message (HMAC-SHA-256): 32 bytes.
    package func authenticate(_ message: [UInt8]) -> [UInt8] {
        HMAC.sha256(key: bytes, message: message)
    }

    /// Says what it is, not what is in it.
    package var description: String { "ServerSecret" }

    /// Shows nothing to `dump` and debuggers.
    package var customMirror: Mirror { Mirror(self, children: []) }

    private var hexadecimal: [UInt8] { Hexadecimal.encode(bytes) }

    private static func file(inFolder folder: String) -> PrivateFile {
        PrivateFile(path: folder.hasSuffix("/") ? folder + fileName : folder + "/" + fileName)
    }
}
