/// A mistake in the configuration, with its place.
///
/// - Confinement: any
package struct ConfigurationProblem: Error, Sendable, Hashable, CustomStringConvertible {
    /// The option, the environment variable, or the file and its key.
    package let place: String
    /// Says what is wrong and what is allowed; it follows the place in a sentence.
    package let message: String
    /// The character of the file at which the mistake begins, counted from 1; nil where it is no mistake of a file.
    package var character: Int?

    /// The same with the place in the file.
    ///
    /// - Parameter offset: in bytes.
    func at(_ offset: Int?, of file: ConfigurationFile) -> ConfigurationProblem {
        guard let offset else { return self }
        let before = String(decoding: file.bytes.prefix(offset), as: UTF8.self)
        return ConfigurationProblem(place: place, message: message, character: before.count + 1)
    }

    package var description: String { "\(place) \(message)" }
}
