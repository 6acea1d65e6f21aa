import ClientProtocol
import JSON
package import Model
import Store
import Triggers

/// The note in a stored row that says that the server has stopped it, because it ran out of its budget too often.
///
/// The note is part of the row, so it goes when the row is put again, changed or unchanged.
///
/// - Confinement: any
package enum SetAside {
    private static let mark = "\"\(TriggerDefinition.setAsideMember)\":{"

    /// Why a row is set aside; nil when it is not.
    static func reason(inRow row: String) -> String? {
        guard row.utf8.count > mark.utf8.count, row.contains(mark) else { return nil }
        let object = try? StoredJSON.object(row, place: "triggers.row")
        return object?[TriggerDefinition.setAsideMember]?["reason"]?.stringValue
    }

    /// The row with the note.
    package static func note(_ reason: String, since position: Position, at: Timestamp, inRow row: String) throws
        -> String
    {
        var object = try StoredJSON.object(row, place: "triggers.row")
        object[TriggerDefinition.setAsideMember] = [
            "reason": .string(reason), "seq": .integer(position.value), "at": .string(at.text),
        ]
        return JSONValue.object(object).text
    }
}
