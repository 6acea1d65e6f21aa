package import Configuration
import Crypto
import Digits
internal import Foundation
package import ThreadMessages

extension NodeDigest {
    /// Keys of the settings that must be the same on all nodes. Paths of files are not among them, since folders may differ.
    private static let sharedSettings: Set = [
        "retention", "log-retention", "edit-window", "edit-retention", "audit-retention", "report-retention",
        "device-retention", "limits",
        "profile",
        "firebase-project", "rules", "preferences", "collections", "outbound-allow", "webhook-allow",
        "webhook-plain", "webhook-source", "push-contact", "apns-key-id", "apns-team", "apns-topics", "apns-critical",
        "push-hold", "push-badge", "push-messages", "push-open", "push-rate", "push-allow", "connections-per-user",
        "write-limit", "journal-app",
    ]

    /// The digests of this program on this machine; it takes some milliseconds.
    package static func make(of configuration: ServerConfiguration) -> NodeDigest {
        NodeDigest(settings: digest(settings(of: configuration)), zones: digest(zones()))
    }

    private static func settings(of configuration: ServerConfiguration) -> [String] {
        SettingTable.settings.filter { sharedSettings.contains($0.key) }.map { setting in
            "\(setting.key)=\(setting.shown(in: configuration))"
        }
    }

    /// The offsets of each zone on the first of January and of July, from 2020 to 2037.
    private static func zones() -> [String] {
        let year = 31_557_600.0
        let first = 1_577_836_800.0
        let moments = (0..<36).map { Date(timeIntervalSince1970: first + Double($0) * year / 2) }
        return TimeZone.knownTimeZoneIdentifiers.sorted().map { name in
            let zone = TimeZone(identifier: name)
            return name + moments.map { " \(zone?.secondsFromGMT(for: $0) ?? 0)" }.joined()
        }
    }

    private static func digest(_ lines: [String]) -> String {
        let bytes = Digest.sha256(Array(lines.joined(separator: "\n").utf8))
        return String(decoding: Hexadecimal.encode(Array(bytes.prefix(6))), as: UTF8.self)
    }
}
