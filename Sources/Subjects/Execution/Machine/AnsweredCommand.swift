package import ClientProtocol
import Model

/// A command with its work: the use case that answers it, or what a session does itself.
///
/// The extension that says so stands beside the use case.
///
/// - Confinement: any
package protocol AnsweredCommand: Command {
    /// - Throws: `Refusal` when the use case can tell without the database that it must refuse.
    var work: CommandWork { get throws(Refusal) }
}
