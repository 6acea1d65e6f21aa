/// The settings of the journal alone, for commands that ask it.
///
/// - Confinement: any
package enum JournalSettings: SettingGroup {
    package static let title = "The journal"
    package static let settings = ClusterSettings.ofJournal
}
