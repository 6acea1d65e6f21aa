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

extension WriteContext {
    /// Has a row that ran out of its budget once more not run from now on, in the transaction of the write.
    ///
    /// What it misses is not listed one by one, which would be as many letters as there are changes: the letter of the
    /// change at hand says from where to replay.
    ///
    /// - Parameter failure: what it ran out on, now.
    /// - Returns: the reason for the letter.
    func setAside(_ trigger: CompiledTrigger, at position: Position, _ failure: String) throws -> String {
        let name = trigger.definition.name
        let times = "exceeded its budget \(TriggerLimits.overrunsMax) times in a row"
        let reason = "\(times), the last time at seq \(position): \(failure)"
        if let row = try transaction.triggers.find(name) {
            let noted = try SetAside.note(reason, since: position, at: now, inRow: row)
            try transaction.triggers.note(name, row: noted)
        }
        engine.setAside(trigger, reason)
        return "\(failure); \(times) and is disabled: put it again, then replay it from seq \(position)"
    }

    /// - Throws: `Refusal` when the first writes of a batch have caused all the work that one request may: then the rest
    ///   would hold up everybody. What the server writes itself, and what cannot be sent in parts, goes on with the little
    ///   that ``WorkMeter`` leaves to each evaluation.
    func checkWork(after done: Int, of all: Int) throws(Refusal) {
        guard engine.meter.isSpentWell, done < all, case .administrator = actor else { return }
        let dearest = engine.meter.dearest.map { ", most of it by the trigger \($0.trigger)" } ?? ""
        throw Refusal(
            .tooLarge,
            "the first \(done) of \(all) writes used up the work that one request may cause\(dearest): "
                + "send at most \(done) at a time",
            field: "writes"
        )
    }
}
