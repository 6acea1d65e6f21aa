import Crypto
import Digits
import Files

/// The 32 random bytes by which a server knows its own tokens. They are never printed.
///
/// They are stored in `DIR/secret` as 64 hexadecimal digits and a line end; only the owner can read the file. While the
/// secret turns, the file has two lines: the first one signs, and tokens of both are accepted.
/// - Confinement: any; loading blocks on the disk
package struct ServerSecret: Sendable, CustomStringConvertible, CustomReflectable {
    /// The secret's size.
    package static let byteCount = 32
    /// The beginning of the audiences of secrets.
    static let audiencePrefix = "ww:"
    /// The file's name in the data folder.
    package static let fileName = "secret"

    private let bytes: [UInt8]
    /// The audience (`aud`) of the tokens that this secret signs: derived from the secret without revealing it. It has
    /// fifteen letters, which a `String` holds without memory of its own.
    package let audience: String

    private init(bytes: [UInt8]) {
        self.bytes = bytes
        let digest = HMAC.sha256(key: bytes, message: Array("watchwise audience".utf8))
        audience =
            ServerSecret.audiencePrefix + Base64.url.text(of: Array(digest.prefix(9)))
    }

    /// An audience that no server has, for tokens that must not outlive the server that signs them.
    /// - Throws: when the system gives no random bytes.
    package static func newAudience() throws(ServerSecretError) -> String { try ServerSecret().audience }

    /// Makes a new one.
    /// - Throws: when the system gives no random bytes.
    package init() throws(ServerSecretError) {
        self.init(bytes: try SecureRandom.secret(ServerSecret.byteCount))
    }

    /// Reads hexadecimal digits, with or without a line end.
    /// - Returns: nil when there are not exactly 64.
    package init?(hexadecimal text: [UInt8]) {
        let digits = text.last == UInt8(ascii: "\n") ? text.dropLast() : text[...]
        guard digits.count == 2 * ServerSecret.byteCount, let bytes = Hexadecimal.decode(digits) else { return nil }
        self.init(bytes: bytes)
    }

    /// Loads the secret of a data folder, or makes one there; two processes that do so at once get the same.
    /// - Parameter folder: An existing folder.
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
    /// - Throws: when others can read the file, or its content is not valid.
    package static func load(fromFolder folder: String) throws(ServerSecretError) -> ServerSecret? {
        try loadAll(fromFolder: folder)?.first
    }

    /// Loads the secrets of a data folder: the one that signs, and one that is only accepted while the secret turns.
    /// - Returns: nil when there is none.
    /// - Throws: when others can read the file, or its content is not valid.
    package static func loadAll(fromFolder folder: String) throws(ServerSecretError) -> [ServerSecret]? {
        let file = file(inFolder: folder)
        do {
            guard let contents = try file.read(bytesMax: 1024) else { return nil }
            guard let secrets = SecretFile<ServerSecret>.secrets(in: contents) else {
                throw ServerSecretError.malformed(path: file.path)
            }
            return secrets
        } catch let error as ServerSecretError {
            throw error
        } catch {
            throw .file("\(error)")
        }
    }

    /// The secret that signs, from the content of a file.
    /// - Returns: nil when it is not one or two lines of 64 hexadecimal digits.
    package static func signing(in contents: [UInt8]) -> ServerSecret? {
        SecretFile<ServerSecret>.secrets(in: contents)?.first
    }

    /// Puts a new secret before the present one, whose tokens stay valid; an older one is removed.
    /// - Returns: the secrets that are accepted from now on.
    package static func rotate(inFolder folder: String) throws(ServerSecretError) -> [ServerSecret] {
        try SecretFile(path: file(inFolder: folder).path).rotate()
    }

    /// Drops the old secret, so that its tokens are not valid any more.
    /// - Returns: the one that is left.
    package static func retire(inFolder folder: String) throws(ServerSecretError) -> [ServerSecret] {
        try SecretFile(path: file(inFolder: folder).path).retire()
    }

    /// The HMAC-SHA-256 of a message with this secret: 32 bytes.
    package func authenticate(_ message: [UInt8]) -> [UInt8] {
        HMAC.sha256(key: bytes, message: message)
    }

    /// The name of the type, without the secret.
    package var description: String { "ServerSecret" }

    /// Hides the secret from `dump` and debuggers.
    package var customMirror: Mirror { Mirror(self, children: []) }

    private var hexadecimal: [UInt8] { Hexadecimal.encode(bytes) }

    private static func file(inFolder folder: String) -> PrivateFile {
        PrivateFile(path: folder.hasSuffix("/") ? folder + fileName : folder + "/" + fileName)
    }
}

extension ServerSecret: SecretLine {
    static let form = "64 hexadecimal digits"

    init?(line: String) { self.init(hexadecimal: Array(line.utf8)) }

    var line: String { String(decoding: hexadecimal, as: UTF8.self) }
}
