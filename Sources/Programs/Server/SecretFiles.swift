import Authentication

/// The files in a folder without which its database is not all that a server was.
///
/// - Confinement: any
enum SecretFiles {
    static let names = [ServerSecret.fileName, WebhookSecrets.fileName, VAPIDKeys.fileName]
}
