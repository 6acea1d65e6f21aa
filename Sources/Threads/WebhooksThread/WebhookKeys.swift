import Authentication
import Configuration

/// The secrets that sign webhooks, from their file. The file is read again after a second, so that a rotation needs no
/// restart; it is made when it is first needed.
///
/// - Confinement: store (the thread of webhooks)
struct WebhookKeys {
    /// The time for which the secrets count without reading the file again.
    private static let freshMilliseconds: Int64 = 1_000
    private let path: String
    private var read: (secrets: WebhookSecrets, at: Int64)?

    init(_ configuration: WebhookConfiguration, inFolder folder: String) {
        path = configuration.secretPath ?? (folder.hasSuffix("/") ? folder : folder + "/") + WebhookSecrets.fileName
    }

    /// - Parameter tick: Milliseconds of a monotonic clock.
    /// - Throws: when the file cannot be used; no webhook is sent unsigned.
    mutating func secrets(tick: Int64) throws(ServerSecretError) -> WebhookSecrets {
        if let read, tick - read.at < Self.freshMilliseconds { return read.secrets }
        let secrets = try WebhookSecrets.loadOrCreate(path: path)
        read = (secrets, tick)
        return secrets
    }
}
