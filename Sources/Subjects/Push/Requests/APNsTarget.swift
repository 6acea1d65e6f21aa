package import Model

/// A device of APNs.
///
/// - Confinement: any
package struct APNsTarget: Sendable, Hashable {
    /// In small hexadecimal digits.
    package let token: String
    /// The app's bundle id.
    package let topic: String
    package let environment: APNsEnvironment

    package init(token: String, topic: String, environment: APNsEnvironment) {
        self.token = token
        self.topic = topic
        self.environment = environment
    }
}
