import ClientProtocol
import JSON
import Model
import Store
import Triggers

/// The note in a stored row that the server has set it aside, since it ran out of its budget too often.
///
/// It stands in the row itself, so that putting the row takes it away, whatever was put.
///
/// - Confinement: any
enum SetAside {
    private static let mark = "\"\(TriggerDefinition.setAsideMember)\":{"

    /// Why a row is set aside; nil when it is not.
    static func reason(inRow row: String) -> String? {
        guard row.utf8.count > mark.utf8.count, row.contains(mark) else { return nil }
        let object = try? StoredJSON.object(row, place: "triggers.row")
        return object?[TriggerDefinition.setAsideMember]?["reason"]?.stringValue
    }

    /// The row with the note.
    static func note(_ reason: String, since position: Position, at: Timestamp, inRow row: String) throws -> String {
        var object = try StoredJSON.object(row, place: "triggers.row")
        object[TriggerDefinition.setAsideMember] = [
            "reason": .string(reason), "seq": .integer(position.value), "at": .string(at.text),
        ]
        return JSONValue.object(object).text
    }
}
