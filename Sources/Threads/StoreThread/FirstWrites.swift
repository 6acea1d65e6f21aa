import Execution
import Model
package import Notifying
import Store
import Telemetry
import TriggerExecution
package import Triggers

/// The writes of the first node that leads: the trigger table of a new database, and the configured preferences.
///
/// - Confinement: any
package struct FirstWrites: Sendable {
    /// The rows for a database that has never had any.
    private let triggers: [TriggerDefinition]
    private let preferences: DefaultPreferences?

    package init(triggers: [TriggerDefinition], preferences: DefaultPreferences?) {
        self.triggers = triggers
        self.preferences = preferences
    }

    /// Does what is not done yet, each write in a commit of its own.
    ///
    /// - Parameter commit: returns false when nothing more can be committed; the next node that leads goes on then.
    func commit(reading writer: Writer, _ commit: (any WriteUseCase) -> Bool) throws {
        if writer.head == .zero, !triggers.isEmpty, !commit(LoadTriggers(triggers)) { return }
        while try !writer.read({ try DefaultPreferences.areInForce(preferences, in: $0) }) {
            guard commit(SpreadDefaultPreferences(preferences)) else { return }
        }
    }
}
