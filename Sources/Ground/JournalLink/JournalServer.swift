import JSON

/// The first line that a NATS server sends on each connection: `INFO {…}`.
/// - Confinement: any
package struct JournalServer: Sendable, Hashable {
    /// The server's name in its cluster.
    package let name: String
    /// Its version.
    package let version: ServerVersion
    /// The largest message that it takes, in bytes, headers included.
    package let payloadBytesMax: Int
    /// Whether JetStream is on, without which it has no stream.
    package let hasJetStream: Bool
    /// Whether it insists on TLS.
    package let requiresTLS: Bool

    /// Reads the line.
    /// - Parameter line: with or without its end.
    /// - Throws: ``JournalFailure/malformed(_:)`` when another program answers.
    package init(line: [UInt8]) throws(JournalFailure) {
        let prefix = Array("INFO ".utf8)
        guard line.starts(with: prefix), let value = try? JSONValue(parsing: Array(line.dropFirst(prefix.count))) else {
            throw .malformed("the server does not begin with the INFO line of NATS")
        }
        guard let text = value["version"]?.stringValue, let version = ServerVersion(text) else {
            throw .malformed("the INFO line of the server has no 'version' of three numbers")
        }
        name = value["server_name"]?.stringValue ?? value["server_id"]?.stringValue ?? ""
        self.version = version
        payloadBytesMax = value["max_payload"]?.integerValue.flatMap(Int.init(exactly:)) ?? 0
        hasJetStream = value["jetstream"]?.boolValue ?? false
        requiresTLS = value["tls_required"]?.boolValue ?? false
    }

    /// Why the journal cannot be kept there, as a sentence; nil for a server that fits.
    package var refusal: String? {
        if version < .oldest {
            return "the NATS server \(name) has version \(version); the journal needs at least \(ServerVersion.oldest)"
        }
        if !hasJetStream { return "the NATS server \(name) has JetStream switched off; the journal needs it" }
        return nil
    }
}
