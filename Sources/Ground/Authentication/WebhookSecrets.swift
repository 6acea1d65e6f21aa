import Crypto
import Digits

/// The secrets that sign webhooks (Standard Webhooks 1.0): the present one, and during a rotation also the last one.
///
/// They are in a file that only the owner can read, one `whsec_BASE64` in each line, the newest first. The file is in
/// the data folder unless another one is configured.
/// - Confinement: any; loading blocks on the disk
package struct WebhookSecrets: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// The file's name in the data folder.
    package static let fileName = "webhook-secret"
    /// Bytes of a secret: 192 to 512 bits.
    package static let byteCounts = 24...64

    /// Newest first; at least one.
    private let secrets: [Secret]

    /// Reads a file's content: one secret a line, newest first.
    /// - Returns: nil when there is no secret, or too many, or a line is not valid.
    package init?(lines text: [UInt8]) {
        guard let secrets = SecretFile<Secret>.secrets(in: text) else { return nil }
        self.secrets = secrets
    }

    private init(secrets: [Secret]) { self.secrets = secrets }

    /// The file's content.
    package var lines: [UInt8] { SecretFile.text(of: secrets) }

    /// The form for receivers, newest first.
    package var texts: [String] { secrets.map(\.line) }

    /// The header `webhook-signature`: one signature for each secret, blanks between them.
    /// - Parameters:
    ///   - id: The value of `webhook-id`, without a full stop.
    ///   - seconds: The value of `webhook-timestamp`.
    package func signature(id: String, seconds: Int64, body: [UInt8]) -> String {
        let content = Array("\(id).\(seconds).".utf8) + body
        return secrets.map { "v1," + Base64.padded.text(of: HMAC.sha256(key: $0.bytes, message: content)) }.joined(
            separator: " ")
    }

    /// The name of the type, without the secrets.
    package var description: String { "WebhookSecrets" }

    /// Hides the secrets from `dump` and debuggers.
    package var customMirror: Mirror { Mirror(self, children: []) }
}

// MARK: - The file

extension WebhookSecrets {
    /// Loads the secrets of a file.
    /// - Returns: nil when there is no file.
    /// - Throws: when others can read the file, or its content is not valid.
    package static func load(path: String) throws(ServerSecretError) -> WebhookSecrets? {
        try SecretFile(path: path).load().map { WebhookSecrets(secrets: $0) }
    }

    /// Loads the secrets of a file, or makes one; two processes that do so at once get the same.
    package static func loadOrCreate(path: String) throws(ServerSecretError) -> WebhookSecrets {
        WebhookSecrets(secrets: try SecretFile(path: path).loadOrCreate())
    }

    /// Puts a new secret before the present one, which keeps signing together with it; an older one is removed.
    package static func rotate(path: String) throws(ServerSecretError) -> WebhookSecrets {
        WebhookSecrets(secrets: try SecretFile(path: path).rotate())
    }

    /// Ends a rotation: from now on only the newest secret signs.
    package static func retire(path: String) throws(ServerSecretError) -> WebhookSecrets {
        WebhookSecrets(secrets: try SecretFile(path: path).retire())
    }

    /// One secret, `whsec_BASE64`.
    private struct Secret: SecretLine, Sendable, Hashable {
        static let fileName = WebhookSecrets.fileName
        static let form = "whsec_BASE64, 24 to 64 bytes each"
        private static let prefix = "whsec_"
        private static let newByteCount = 32
        let bytes: [UInt8]

        init?(line: String) {
            guard line.hasPrefix(Self.prefix) else { return nil }
            let digits = Array(line.utf8.dropFirst(Self.prefix.utf8.count))
            guard let bytes = Base64.padded.decode(digits), byteCounts.contains(bytes.count) else { return nil }
            self.bytes = bytes
        }

        init() throws(ServerSecretError) { bytes = try SecureRandom.secret(Self.newByteCount) }

        var line: String { Self.prefix + Base64.padded.text(of: bytes) }
    }
}
