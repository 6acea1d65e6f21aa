package import Model

/// A write with a key that the node that leads has refused for good: nothing keeps its key, so a copy that came to any node
/// before must not be done after it.
///
/// - Confinement: any
package struct RefusedWrite: Sendable, Hashable {
    /// - Confinement: any
    package struct Name: Sendable, Hashable {
        /// The user, or the administrator after a space.
        package let owner: String
        package let key: String

        package init(owner: String, key: String) {
            self.owner = owner
            self.key = key
        }
    }

    package let name: Name
    /// The time of the refusal, by the clock of the node that leads.
    package let at: Timestamp

    package init(_ name: Name, at: Timestamp) {
        self.name = name
        self.at = at
    }
}
