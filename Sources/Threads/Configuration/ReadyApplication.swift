import EmbeddedFiles

/// An application that ships with the server: its trigger table and its configuration, which are files in `deploy`.
///
/// - Confinement: any
package enum ReadyApplication: String, Sendable, Hashable, CaseIterable {
    case filmNetwork = "film-network"
    case airQuality = "air-quality"
    case skiResort = "ski-resort"
    case announcements
    case taskBoard = "task-board"

    /// All names, for people.
    package static let names = allCases.map(\.rawValue).joined(separator: ", ")

    /// The configuration file `deploy/apps/NAME.json`, without address and folder.
    package var configuration: ConfigurationFile {
        ConfigurationFile(name: "deploy/apps/\(rawValue).json", bytes: configurationBytes)
    }

    private var configurationBytes: [UInt8] {
        EmbeddedFolder.readyApplications.bytes(of: "\(rawValue)-configuration.json")
    }

    /// The rows of `deploy/triggers/NAME.json`.
    package var triggers: [UInt8] { EmbeddedFolder.readyApplications.bytes(of: "\(rawValue)-triggers.json") }
}
