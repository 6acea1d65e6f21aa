import Model
package import Store
import Telemetry

/// Administrators' actions in the log: those that notify people, change what is done for everybody, end somebody's sessions,
/// concern somebody's devices, or show what people wrote. Writes of documents are in the audit alone: programs write
/// thousands of them.
///
/// - Confinement: any
package enum AdministratorLine {
    /// Logs an action that was done.
    ///
    /// - Parameter status: of the answer.
    package static func leave(_ note: AuditNote, _ status: Int, at door: any RequestDoor) {
        let log = door.settings.log
        guard (200..<300).contains(status), log.tellsInfo, !isFrequent(note.action) else { return }
        log.info(
            "an administrator acted",
            [
                "actor": note.actor, "action": note.action,
                "target": "\(withoutErased(note.target, at: door).prefix(200))",
                "request": note.request, "address": note.address,
            ])
    }

    /// It stands in the place of the name of an erased person.
    package static let erased = "(erased)"

    /// A target without the name of an erased person.
    private static func withoutErased(_ target: String, at door: any RequestDoor) -> String {
        NamedPlaces { id in UserID(admitted: id).flatMap { door.isErased($0) ? erased : nil } }.rewritten(
            target: target)
    }

    private static func isFrequent(_ action: String) -> Bool {
        ["document.put", "document.patch", "document.delete", "document.batch"].contains(action)
    }
}
