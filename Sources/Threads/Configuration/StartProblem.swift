/// Why a server did not start.
///
/// - Confinement: any
package struct StartProblem: Error, Sendable, CustomStringConvertible {
    /// Whether the fault lies in what was configured, rather than in the machine: exit code 2 instead of 1.
    package let isConfiguration: Bool
    package let description: String
    /// Whether a signal has ended a start that waited: no failure.
    package var wasStopped = false

    package init(isConfiguration: Bool, _ description: String) {
        self.isConfiguration = isConfiguration
        self.description = description
    }
}
