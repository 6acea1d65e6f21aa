/// Why the registration of a device is refused.
///
/// - Confinement: any
package struct RegistrationProblem: Error, Sendable, Hashable {
    /// The member of the command: `subscription.endpoint`.
    package let field: String
    /// The mistake, in words that follow the name of the field.
    package let message: String

    init(_ field: String, _ message: String) {
        self.field = field
        self.message = message
    }
}
