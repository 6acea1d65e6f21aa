import JSON
import Model

/// The settings of ``ClusterConfiguration``.
///
/// - Confinement: any
package enum ClusterSettings: SettingGroup {
    package static let title = "Cluster"
    package static let settings = ofJournal + ofNode

    static let ofJournal = [
        Setting(
            "journal", \.cluster.journal, .journalAddresses, value: "nats://host:port",
            example: ["nats://10.0.0.1:4222", "nats://10.0.0.2:4222", "nats://10.0.0.3:4222"],
            help: "Be one of several nodes that share this journal (NATS JetStream); without it the server is alone.",
            note: """
                All of the journal's servers, repeated or with commas between them. 'watchwise cluster init' makes the \
                journal.
                """),
        Setting(
            "journal-app", \.cluster.application,
            .text("must be 1 to 64 of a-z A-Z 0-9 - _", where: ClusterConfiguration.isApplication), value: "name",
            example: "films", help: "Name of the application in the journal, whose stream is WW-NAME."),
        Setting(
            "journal-credentials", \.cluster.credentials, .path(of: "a credentials file of NATS (.creds)"),
            value: "file", absent: nil, example: "/etc/watchwise/journal.creds",
            help: "Log in to the journal with this credentials file of NATS."),
        Setting(
            "journal-ca", \.cluster.authorities, .path(of: "a PEM file with the certificates to trust"), value: "file",
            absent: nil, example: "/etc/watchwise/journal-ca.pem",
            help: "Trust these certificates (PEM) for the journal's servers, and always use TLS with them."),
        Setting(
            "journal-monitor", \.cluster.monitors, .serverAddresses, value: "url",
            example: ["http://10.0.0.1:8222", "http://10.0.0.2:8222", "http://10.0.0.3:8222"],
            help: "Monitoring ports of the journal's servers, for 'watchwise cluster init', 'check' and 'status'."),
    ]

    private static let ofNode = [
        Setting(
            "node", \.cluster.node,
            .text("must be 1 to 255 of a-z A-Z 0-9 - _", where: ClusterConfiguration.isNodeName), value: "name",
            absent: nil, example: "rome-1",
            help: "Name of this node among the others; by default the host's name up to its first dot.",
            note: "It must stay the same, and no two nodes may have the same one."),
        Setting(
            "node-address", \.cluster.address, .serverAddress, value: "url", absent: nil,
            example: "http://10.0.0.1:8080",
            help: "URL at which the other nodes reach this one, to copy its database when they join."),
        Setting(
            "lead", \.cluster.mayLead, .leading, value: "when", example: "never",
            help: "Whether this node may lead: auto, or never for one that only serves sessions."),
        Setting(
            "lag-ready", \.cluster.lagReadyMilliseconds, .stopTime, value: "time", example: "2s",
            help: "A node that lags the journal by more than this takes no new sessions, and /readyz answers 503."),
        Setting(
            "lag-close", \.cluster.lagCloseMilliseconds, .stopTime, value: "time", example: "30s",
            help: "A node that lags by more than this, or is cut off for longer, ends its sessions: they go to others."),
    ]
}

extension SettingForm<Bool> {
    /// Whether a node may lead.
    static var leading: SettingForm {
        SettingForm(
            wanted: "must be one of auto, never", show: { $0 ? "auto" : "never" },
            read: { value in
                switch value.stringValue {
                case "auto": true
                case "never": false
                default: nil
                }
            })
    }
}

extension SettingForm<String> {
    /// The address of a node.
    static var serverAddress: SettingForm {
        .text(
            "must be http://HOST[:PORT] or https://HOST[:PORT], such as http://10.0.0.1:8080",
            where: ClusterConfiguration.isServerAddress)
    }
}

extension SettingForm<[String]> {
    /// Addresses of the journal's servers. A password in them is not shown.
    static var journalAddresses: SettingForm {
        let wanted = "must be nats://HOST:PORT or tls://HOST:PORT, or a list of these with commas"
        return SettingForm(
            wanted: wanted, isList: true,
            read: { (value) throws(UnfitMember) in
                let addresses = parts(of: value)
                if let addresses, addresses.allSatisfy(ClusterConfiguration.isJournalAddress) { return addresses }
                if value.text.contains("@") { throw UnfitMember(name: nil, message: wanted) }
                return nil
            })
    }

    /// Addresses of monitoring ports.
    static var serverAddresses: SettingForm {
        SettingForm(
            wanted: "must be http://HOST:PORT, or a list of these with commas", isList: true,
            read: { value in
                guard let addresses = parts(of: value),
                    addresses.allSatisfy(ClusterConfiguration.isServerAddress)
                else { return nil }
                return addresses
            })
    }

    /// The texts of a list or of one text, cut at commas; nil when there is none, or one is no text.
    private static func parts(of value: JSONValue) -> [String]? {
        let values = value.arrayValue ?? [value]
        let texts = values.compactMap(\.stringValue)
        guard texts.count == values.count else { return nil }
        let parts = texts.flatMap { $0.split(separator: ",").map(String.init) }
        return parts.isEmpty ? nil : parts
    }
}
