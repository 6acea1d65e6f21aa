import JSON
import Session

/// The outbox of a process that does not connect, as the store has it. Its bounds are those of the process that connects.
/// - Confinement: WatchWiseActor
@WatchWiseActor
struct FollowingOutbox {
    private var machine: Outbox

    /// - Parameter entries: Those of the store.
    init(of user: String, _ entries: [WriteEntry], _ store: DeviceStore) throws {
        machine = Outbox(OutboxConfiguration(user: user), chance: Chance([]))
        let limits = try store.read { try $0.note("limits") }
        if let most = limits?["messageBytes"]?.integerValue { machine.limits(messageBytes: most) }
        machine.restore(entries)
    }

    /// - Throws: ``WatchWiseError`` when a write is longer than the server takes, or too many wait.
    func check(_ command: JSONObject) throws {
        if let refusal = machine.refusal(of: command) ?? machine.refusalWithoutRoom(for: command) {
            throw WatchWiseError(refusal)
        }
    }
}
