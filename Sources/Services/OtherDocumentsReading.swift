import JSON
import Model
import Store
import Triggers

/// Reads the other documents that a row names in `with`, in the transaction of the write; those of a past change as they
/// were then.
///
/// - Confinement: store
struct OtherDocumentsReading {
    let transaction: Transaction

    /// The change with what the row reads beside it.
    ///
    /// - Parameter position: of a past change; nil for one that is being written.
    /// - Throws: the database's error.
    func complete(
        _ change: DocumentChange, for trigger: CompiledTrigger, asOf position: Position? = nil
    ) throws -> DocumentChange {
        let row = trigger.definition
        guard !row.with.isEmpty else { return change }
        var complete = change
        complete.others = try row.with.paths(for: change, of: row.path).map { path in
            guard let path, let body = try body(of: path, asOf: position) else { return nil }
            trigger.meter.charge(TriggerLimits.evaluationWork + body.utf8.count / TriggerLimits.bytesPerWork)
            return .object(try StoredJSON.object(body, place: "documents.body"))
        }
        return complete
    }

    private func body(of path: DocumentPath, asOf position: Position?) throws -> String? {
        guard let position else { return try transaction.documents.find(path)?.body }
        return try transaction.history.body(of: path.text, asOf: position)
    }
}
