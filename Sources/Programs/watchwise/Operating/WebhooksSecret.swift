import ArgumentParser
import Authentication
import Console
import Foundation
import JSON

/// `watchwise webhooks secret`
struct WebhooksSecret: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "secret", abstract: "Show the secret that signs webhooks, or replace it.",
        discussion: """
            The secret is in the server's folder (or where --webhook-secret of 'watchwise serve' says), so this runs where the \
            server runs; a running server notices a change within a second. After --rotate, webhooks have two \
            signatures, of the new secret and of the old one. When the receivers have the new one, --retire drops \
            the old one. The newest secret is shown first.

            EXAMPLES
              watchwise webhooks secret
              watchwise webhooks secret --rotate --data /var/lib/watchwise
              watchwise webhooks secret --retire
            """)

    @Flag(help: "Make a new secret; the present one keeps signing, too.")
    var rotate = false
    @Flag(help: "Keep only the newest secret.")
    var retire = false
    @Option(help: .value("dir", "The server's folder. (default: watchwise-data)"))
    var data: String?
    @Option(help: .value("file", "The secret's file, if it is not in the folder."))
    var file: String?
    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
        guard !rotate || !retire else { throw CommandFailure(.misused, "give --rotate or --retire, not both") }
        let folder = Surroundings.dataFolder(option: data)
        let path = file ?? (folder.hasSuffix("/") ? folder : folder + "/") + WebhookSecrets.fileName
        if file == nil, !FileManager.default.fileExists(atPath: folder) {
            throw CommandFailure(
                .failed, "there is no folder \(folder): run 'watchwise serve --data \(folder)' once, or give --data")
        }
        let texts: [String]
        do throws(ServerSecretError) {
            let secrets =
                if rotate {
                    try WebhookSecrets.rotate(path: path)
                } else if retire {
                    try WebhookSecrets.retire(path: path)
                } else {
                    try WebhookSecrets.loadOrCreate(path: path)
                }
            texts = secrets.texts
        } catch {
            throw CommandFailure(.failed, error.description)
        }
        guard json else { return Terminal.line(texts.joined(separator: "\n")) }
        let answer: JSONValue = ["secrets": .array(texts.map { .string($0) })]
        Terminal.line(answer.text)
    }
}
