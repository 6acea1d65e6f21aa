/// A mistake in the configuration, with its place.
///
/// - Confinement: any
package struct ConfigurationProblem: Error, Sendable, Hashable, CustomStringConvertible {
    /// The option, the environment variable, or the file and its key.
    package let place: String
    /// Says what is wrong and what is allowed; it follows the place in a sentence.
    package let message: String
    /// The first character of the file that cannot be read, counted from 1; nil when the whole text can be read.
    package var character: Int?

    package var description: String { "\(place) \(message)" }
}
