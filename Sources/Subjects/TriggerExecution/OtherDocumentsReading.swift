import Execution
import JSON
import Model
import Notifying
import Store
import Triggers

/// Reads the other documents that a row names in `with`, and the time zone of its one reader, in the transaction of the
/// write. For a past change it reads them as they were then.
///
/// - Confinement: store
struct OtherDocumentsReading {
    let transaction: Transaction

    /// The change with the other documents and the zone that the row reads.
    ///
    /// - Parameter position: the position of a past change; nil for the present one.
    /// - Throws: the database's error.
    func complete(
        _ change: DocumentChange, for trigger: CompiledTrigger, asOf position: Position? = nil
    ) throws -> DocumentChange {
        let row = trigger.definition
        guard !row.with.isEmpty || trigger.readsReaderZone else { return change }
        var complete = change
        if trigger.readsReaderZone { complete.readerZone = try readerZone(row, change, asOf: position) }
        complete.others = try row.with.paths(for: change, of: row.path).map { path in
            guard let path, let body = try body(of: path, asOf: position) else { return nil }
            trigger.meter.charge(TriggerLimits.evaluationWork + body.utf8.count / TriggerLimits.bytesPerWork)
            return .object(try StoredJSON.object(body, place: "documents.body"))
        }
        return complete
    }

    /// The zone of the row's one reader, UTC if none is chosen; nil when the row names nobody.
    private func readerZone(
        _ row: TriggerDefinition, _ change: DocumentChange, asOf position: Position?
    ) throws -> String? {
        guard let reader = row.reader(of: change) else { return nil }
        guard let user = try transaction.users.find(reader) else { return DeliveryPreferences.zone(ofStored: nil) }
        let past = try position.flatMap { try transaction.preferences.past(of: user.id, at: $0) }
        return DeliveryPreferences.zone(ofStored: past.map(\.preferences) ?? user.preferences)
    }

    private func body(of path: DocumentPath, asOf position: Position?) throws -> String? {
        guard let position else { return try transaction.documents.find(path)?.body }
        return try transaction.history.body(of: path.text, asOf: position)
    }
}
