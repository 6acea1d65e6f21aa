package import Crypto
import JSON
import Model

/// The service account by which Google knows this server, from the JSON file that the Firebase console gave.
/// - Confinement: any; loading blocks on the disk
package struct FCMAccount: Sendable {
    /// The Firebase project of the app (`project_id`).
    package let project: String
    /// The name of the account (`client_email`).
    package let email: String
    /// The name of the key (`private_key_id`).
    package let keyID: String?
    /// Where an access token is fetched (`token_uri`).
    package let tokenURL: String
    /// Signs with RS256 (`private_key`).
    package let key: SigningKey
    /// Whether every user of this machine can read the file.
    package let isOpenToOthers: Bool

    /// Reads the file.
    /// - Throws: when there is no file, or it has another form; the sentence names the member at fault.
    package init(path: String) throws(ProviderFileProblem) {
        let file = try ProviderFile.read(path)
        isOpenToOthers = file.isOpenToOthers
        let members: Members
        do throws(JSONError) {
            members = Members(path: path, object: try JSONValue(parsing: file.bytes))
        } catch {
            throw Members.problem(path, "cannot be read as JSON: it \(error.message)")
        }
        guard members.object["type"] == "service_account" else {
            throw Members.problem(path, "has no \"type\" of \"service_account\"")
        }
        project = try members.text("project_id", "the id of a Firebase project", where: Self.isProject)
        email = try members.text("client_email", "an e-mail address") { $0.contains("@") }
        keyID = members.object["private_key_id"]?.stringValue
        tokenURL = try members.text("token_uri", "an https address") { WebAddress($0)?.isFitForSecrets == true }
        let pem = try members.text("private_key", "a private key in PEM form") { !$0.isEmpty }
        guard let key = ProviderFile.key(pem: Array(pem.utf8), .rs256) else {
            throw members.problem("private_key", "a private key of RSA in PEM form")
        }
        self.key = key
    }

    /// It becomes a part of a path.
    private static func isProject(_ text: String) -> Bool {
        (1...100).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || "-.:".utf8.contains($0)
            }
    }

    private struct Members {
        let path: String
        let object: JSONValue

        static func problem(_ path: String, _ what: String) -> ProviderFileProblem {
            ProviderFileProblem(
                description: "\(path) \(what); it must be the JSON file of a service account, from the Firebase console"
            )
        }

        func problem(_ name: String, _ wanted: String) -> ProviderFileProblem {
            Self.problem(path, "has no \"\(name)\" that is \(wanted)")
        }

        /// - Parameter wanted: as in "that is an https address".
        func text(
            _ name: String, _ wanted: String, where isSound: (String) -> Bool
        ) throws(ProviderFileProblem) -> String {
            guard let text = object[name]?.stringValue, isSound(text) else { throw problem(name, wanted) }
            return text
        }
    }
}
