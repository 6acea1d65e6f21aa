package import Execution
import Model
package import Store

/// A row of the audit about a request that writes nothing else: one that was refused, or that only reads.
///
/// - Confinement: any
package struct NoteAudit: WriteUseCase {
    let note: AuditNote
    let outcome: AuditOutcome

    package init(_ note: AuditNote, _ outcome: AuditOutcome) {
        self.note = note
        self.outcome = outcome
    }

    package func perform(in context: WriteContext) throws -> AnswerFact {
        try context.transaction.noteInAudit(note, at: context.now, outcome)
        return .none
    }
}
