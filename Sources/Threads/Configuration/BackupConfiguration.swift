import JSON
import Model

/// The copies of the database that the server makes by itself.
///
/// - Confinement: any
package struct BackupConfiguration: Sendable, Hashable {
    /// The folder of the copies; nil makes none.
    package var folder: String?
    /// The time from one copy to the next, in milliseconds.
    package var everyMilliseconds: Int64 = 6 * 3_600_000
    /// How many copies stay.
    package var keep = 28
    /// Whether each copy is read to its end before it counts.
    package var verifies = true
    /// Whether the files with secrets are copied, too.
    package var withSecrets = false
    /// Whether tables may become those of this program without a copy of the older ones.
    package var migratesWithoutCopy = false

    package init() {}

    /// How long a copy is kept, in milliseconds; nil where none is made.
    package var copyMilliseconds: Int64? { folder == nil ? nil : Int64(keep) * everyMilliseconds }

    /// - Parameter data: the server's folder.
    /// - Throws: ``ConfigurationProblem`` when the copies would come too often, or lie where an erasure is to leave no byte.
    func checkTogether(besides data: String) throws(ConfigurationProblem) {
        guard everyMilliseconds >= 10_000 else {
            throw ConfigurationProblem(place: "--backup-every", message: "must be at least 10s")
        }
        guard let folder, "\(folder)/".hasPrefix("\(data)/") else { return }
        throw ConfigurationProblem(
            place: "--backup-to",
            message: "must not lie in the server's folder, \(data): put the copies on another disk")
    }
}

/// The settings of ``BackupConfiguration``.
///
/// - Confinement: any
enum BackupSettings: SettingGroup {
    static let title = "Backups"
    static let settings = [
        Setting(
            "backup-to", \.backups.folder, .path(of: "a folder"), value: "dir", absent: nil,
            example: "/var/backups/watchwise",
            help: "Copy the database into this folder again and again, a folder for this server alone.",
            note: """
                It should be on another disk. Beside the copies lies watchwise.erasures, which 'watchwise restore' obeys: copy the whole \
                folder where you copy it. 'watchwise backups' lists them.
                """),
        Setting(
            "backup-every", \.backups.everyMilliseconds, .span, value: "time", example: "1h",
            help: "The time from one copy to the next, such as 6h; at least 10s."),
        Setting(
            "backup-keep", \.backups.keep, .number("of copies", in: 1...100_000), value: "n", example: 56,
            help: "How many copies stay; the oldest go."),
        Setting(
            "backup-verify", \.backups.verifies, .truth, value: "true-or-false", example: false,
            help: "Whether each copy is read to its end and checked before it counts."),
        Setting(
            "backup-secrets", \.backups.withSecrets, .truth, example: true,
            help: "Put the files with secrets beside each copy, as FILE.secrets, for its owner alone.",
            note: """
                Then tokens, signatures of webhooks and registrations of browsers are good on a new machine, too; and who can read the \
                copies can make tokens.
                """),
        Setting(
            "migrate-without-copy", \.backups.migratesWithoutCopy, .truth, example: true,
            help: "Let a newer program change the tables of an older one without a copy of them."),
    ]
}
