/// A configuration file that was read.
///
/// - Confinement: any
package struct ConfigurationFile: Sendable {
    /// As it is named to people.
    package let name: String
    package let bytes: [UInt8]

    package init(name: String, bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
    }
}
