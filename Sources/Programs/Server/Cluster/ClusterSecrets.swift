import Authentication
import Configuration
internal import Foundation

/// The files that all nodes of a cluster must share.
///
/// - Confinement: any
struct ClusterSecrets {
    /// It signs tokens.
    let tokens: String
    /// It signs webhooks.
    let webhooks: String
    /// The keys of Web Push, to which the browsers' subscriptions belong.
    let push: String
    private let sendsWebPush: Bool

    init(_ configuration: ServerConfiguration) {
        let folder = configuration.data.hasSuffix("/") ? configuration.data : configuration.data + "/"
        tokens = folder + ServerSecret.fileName
        webhooks = configuration.webhooks.secretPath ?? folder + "webhook-secret"
        push = configuration.vapidKeyPath
        sendsWebPush = configuration.push.contact != nil
    }

    var all: [String] { [tokens, webhooks, push] }

    /// The files without which a node would sign by keys of its own.
    private var needed: [String] {
        [tokens, webhooks] + (sendsWebPush ? [push] : [])
    }

    /// - Throws: ``StartProblem`` naming the files that are not there.
    func check() throws(StartProblem) {
        let absent = needed.filter { !FileManager.default.fileExists(atPath: $0) }
        guard !absent.isEmpty else { return }
        throw StartProblem(
            isConfiguration: false,
            "this node needs the secrets of the cluster: copy \(absent.joined(separator: ", ")) from a node that has them, "
                + "with mode 600")
    }
}
