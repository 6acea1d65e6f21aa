import Authentication
import Configuration
import Model

/// The secrets that sign, as they lie in their file: read again as soon as a second has passed, so that a rotation needs
/// no restart; made when they are first needed.
///
/// - Confinement: store (the thread of webhooks)
struct WebhookKeys {
    /// Time for which what was read is taken as it is.
    private static let freshMilliseconds: Int64 = 1_000
    private let path: String
    private var read: (secrets: WebhookSecrets, at: Int64)?

    init(_ configuration: WebhookConfiguration, inFolder folder: String) {
        path = configuration.secretPath ?? (folder.hasSuffix("/") ? folder : folder + "/") + WebhookSecrets.fileName
    }

    /// - Parameter tick: milliseconds on a clock that nobody sets.
    /// - Throws: when the file cannot be used; nothing is sent unsigned.
    mutating func secrets(tick: Int64) throws(ServerSecretError) -> WebhookSecrets {
        if let read, tick - read.at < Self.freshMilliseconds { return read.secrets }
        let secrets = try WebhookSecrets.loadOrCreate(path: path)
        read = (secrets, tick)
        return secrets
    }
}
