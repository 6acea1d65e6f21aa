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

    /// A target without the name of an erased person: of a user, one of the two of a chat, a user's topic, a document below a user.
    private static func withoutErased(_ target: String, at door: any RequestDoor) -> String {
        func shown(_ name: Substring) -> String {
            UserID(String(name)).map(door.isErased) ?? false ? erased : String(name)
        }
        var parts = target.split(separator: "/", omittingEmptySubsequences: false)
        let place = parts[0] == "documents" && parts.count > 2 ? 2 : 1
        guard parts.count > place else { return target }
        let topic = "user:"
        switch parts[place - 1] {
        case "users": parts[place] = Substring(shown(parts[place]))
        case "chats":
            parts[place] = Substring(parts[place].split(separator: ":").map(shown).joined(separator: ":"))
        case "publish" where parts[place].hasPrefix(topic):
            parts[place] = Substring(topic + shown(parts[place].dropFirst(topic.count)))
        default: return target
        }
        return parts.joined(separator: "/")
    }

    private static func isFrequent(_ action: String) -> Bool {
        ["document.put", "document.patch", "document.delete", "document.batch"].contains(action)
    }
}
