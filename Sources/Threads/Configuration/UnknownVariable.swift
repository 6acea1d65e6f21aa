/// A variable that begins like the server's own and that it does not know.
///
/// - Confinement: any
package struct UnknownVariable: Sendable, Hashable {
    package let name: String
    /// The variable that may have been meant.
    package let nearest: String?
}
