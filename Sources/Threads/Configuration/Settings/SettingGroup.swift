/// Settings of one subject, which pages and help texts show together.
///
/// - Confinement: any
package protocol SettingGroup: SendableMetatype {
    static var title: String { get }
    static var settings: [Setting] { get }
}
