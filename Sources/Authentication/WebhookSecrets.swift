import Digits
import Files
import Model
import Crypto

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
    private static let prefix = "whsec_"
    private static let newByteCount = 32
    private static let fileBytesMax = 1024

    /// Newest first; at least one.
    private let secrets: [[UInt8]]

    /// Reads a file's content: one secret a line, newest first.
    /// - Returns: nil when there is no secret, or too many, or a line is not valid.
    package init?(lines text: [UInt8]) {
        let lines = text.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
        guard (1...WebhookLimits.secretsMax).contains(lines.count) else { return nil }
        let secrets = lines.compactMap(Self.secret)
        guard secrets.count == lines.count else { return nil }
        self.secrets = secrets
    }

    private init(secrets: [[UInt8]]) { self.secrets = secrets }

    /// The file's content.
    package var lines: [UInt8] { texts.flatMap { Array($0.utf8) + [UInt8(ascii: "\n")] } }

    /// The form for receivers, newest first.
    package var texts: [String] { secrets.map { Self.prefix + Base64.padded.text(of: $0) } }

    /// The header `webhook-signature`: one signature for each secret, blanks between them.
    /// - Parameters:
    ///   - id: The value of `webhook-id`, without a full stop.
    ///   - seconds: The value of `webhook-timestamp`.
    package func signature(id: String, seconds: Int64, body: [UInt8]) -> String {
        let content = Array("\(id).\(seconds).".utf8) + body
        return secrets.map { "v1," + Base64.padded.text(of: HMAC.sha256(key: $0, message: content)) }.joined(
            separator: " ")
    }

    /// The name of the type, without the secrets.
    package var description: String { "WebhookSecrets" }

    /// Hides the secrets from `dump` and debuggers.
    package var customMirror: Mirror { Mirror(self, children: []) }

    /// The bytes of `whsec_BASE64`; nil when the text has another form.
    private static func secret(_ text: String) -> [UInt8]? {
        guard text.hasPrefix(prefix) else { return nil }
        guard let bytes = Base64.padded.decode(Array(text.utf8.dropFirst(prefix.utf8.count))) else { return nil }
        return byteCounts.contains(bytes.count) ? bytes : nil
    }

    private static func new() throws(ServerSecretError) -> [UInt8] {
        do {
            return try SecureRandom.bytes(newByteCount)
        } catch {
            throw .noRandomness(reason: error.description)
        }
    }
}

// MARK: - The file

extension WebhookSecrets {
    /// Loads the secrets of a file.
    /// - Returns: nil when there is no file.
    /// - Throws: when others can read the file, or its content is not valid.
    package static func load(path: String) throws(ServerSecretError) -> WebhookSecrets? {
        let contents: [UInt8]?
        do {
            contents = try PrivateFile(path: path).read(bytesMax: fileBytesMax)
        } catch {
            throw .file(error.description)
        }
        guard let contents else { return nil }
        guard let secrets = WebhookSecrets(lines: contents) else {
            throw .file("\(path) must hold one or two lines of whsec_BASE64, 24 to 64 bytes each, the newest first")
        }
        return secrets
    }

    /// Loads the secrets of a file, or makes one; two processes that do so at once get the same.
    package static func loadOrCreate(path: String) throws(ServerSecretError) -> WebhookSecrets {
        if let secrets = try load(path: path) { return secrets }
        let secrets = WebhookSecrets(secrets: [try new()])
        do {
            if try PrivateFile(path: path).create(secrets.lines, temporaryName: try temporaryName()) { return secrets }
        } catch let error as ServerSecretError {
            throw error
        } catch {
            throw .file("\(error)")
        }
        guard let other = try load(path: path) else { throw .file("\(path) was made and removed by somebody else") }
        return other
    }

    /// Puts a new secret before the present one, which keeps signing together with it; an older one is removed.
    package static func rotate(path: String) throws(ServerSecretError) -> WebhookSecrets {
        let old = try loadOrCreate(path: path)
        let kept = old.secrets.prefix(WebhookLimits.secretsMax - 1)
        return try WebhookSecrets(secrets: [try new()] + kept).replaced(path: path)
    }

    /// Ends a rotation: from now on only the newest secret signs.
    package static func retire(path: String) throws(ServerSecretError) -> WebhookSecrets {
        let old = try loadOrCreate(path: path)
        return try WebhookSecrets(secrets: Array(old.secrets.prefix(1))).replaced(path: path)
    }

    private func replaced(path: String) throws(ServerSecretError) -> WebhookSecrets {
        do {
            try PrivateFile(path: path).replace(lines, temporaryName: try Self.temporaryName())
        } catch let error as ServerSecretError {
            throw error
        } catch {
            throw .file("\(error)")
        }
        return self
    }

    private static func temporaryName() throws(ServerSecretError) -> String {
        ".\(fileName)." + String(decoding: Base64.url.encode(try new()).prefix(16), as: UTF8.self)
    }
}
