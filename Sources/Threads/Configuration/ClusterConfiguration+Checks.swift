internal import Foundation
import Model

extension ClusterConfiguration {
    /// Checks settings that belong together.
    ///
    /// - Throws: ``ConfigurationProblem`` naming the option that is missing or wrong.
    func checkTogether() throws(ConfigurationProblem) {
        let standard = ClusterConfiguration()
        let others: [(key: String, isGiven: Bool)] = [
            ("journal-app", application != standard.application), ("journal-credentials", credentials != nil),
            ("journal-ca", authorities != nil), ("journal-monitor", !monitors.isEmpty), ("lead", !mayLead),
            ("lag-ready", lagReadyMilliseconds != standard.lagReadyMilliseconds),
            ("lag-close", lagCloseMilliseconds != standard.lagCloseMilliseconds),
        ]
        if !isMember, let given = others.first(where: \.isGiven) {
            throw ConfigurationProblem(place: "--journal", message: "is required with --\(given.key)")
        }
        if !isMember, let key = node != nil ? "node" : address != nil ? "node-address" : nil {
            throw ConfigurationProblem(place: "--journal", message: "is required with --\(key)")
        }
        if lagCloseMilliseconds <= lagReadyMilliseconds {
            throw ConfigurationProblem(
                place: "--lag-close", message: "must be longer than --lag-ready, so that a slow node keeps its sessions"
            )
        }
    }

    /// The node's name: the configured one, or the host's up to its first dot.
    ///
    /// - Throws: ``StartProblem`` when the host's name cannot be a node's.
    package func nodeName() throws(StartProblem) -> String {
        if let node { return node }
        let name = String(ProcessInfo.processInfo.hostName.prefix { $0 != "." })
        guard Self.isNodeName(name) else {
            throw StartProblem(
                isConfiguration: true,
                "--node is required: the host's name '\(name)' cannot be a node's, which is 1 to 255 of a-z A-Z 0-9 - _"
            )
        }
        return name
    }

    /// Whether a text can be an application's name: a part of the name of a stream.
    package static func isApplication(_ text: String) -> Bool { text.utf8.count <= 64 && isPartOfSubject(text) }

    /// Whether a text can be a node's name: a part of a subject of NATS.
    static func isNodeName(_ text: String) -> Bool { text.utf8.count <= 255 && isPartOfSubject(text) }

    private static func isPartOfSubject(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0.isASCIILetterOrDigit || "-_".utf8.contains($0) }
    }

    /// Whether a text is the address of an HTTP server, without a path.
    static func isServerAddress(_ text: String) -> Bool {
        WebAddress(text) != nil && text.filter { $0 == "/" }.count == 2 && !text.contains("?")
    }

    /// Whether a text is the address of a NATS server: `nats://[USER:PASSWORD@]HOST[:PORT]`, or `tls://…`.
    static func isJournalAddress(_ text: String) -> Bool {
        guard let scheme = ["nats://", "tls://"].first(where: { text.hasPrefix($0) }) else { return false }
        let rest = text.dropFirst(scheme.count)
        let place = rest.lastIndex(of: "@").map { rest[rest.index(after: $0)...] } ?? rest
        let isVisible = text.utf8.allSatisfy { (0x21...0x7e).contains($0) }
        // The host and the port have the form of those of a web address.
        return isVisible && !place.contains("/") && isServerAddress("http://" + place)
    }
}
