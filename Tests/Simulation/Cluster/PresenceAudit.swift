import ClientProtocol
import JSON
import Model
import Session
import SimulatedKernel

/// Checks which users are online for others: also after a node has died silently with the last session of somebody.
/// - Confinement: the one thread
struct PresenceAudit {
    let world: World
    let replays: [UserID: Replay]
    /// Whether one of two people blocks the other: then neither sees the other.
    let isBlocked: (UserID, UserID) -> Bool

    /// - Throws: ``Broken``
    func run() throws {
        try world.settle(milliseconds: 12_000)
        for user in world.remaining { try check(user, isOnline: true) }
        guard let last = world.devices.last(where: { !$0.isStopped && $0.isLive }) else { return }
        for device in world.devices where device.user == last.user && device !== last { device.stop() }
        guard let index = world.machines.firstIndex(where: { $0.port == last.port && $0.isRunning }) else { return }
        try world.crash(index, isPowerCut: false, isSilent: true, forMilliseconds: 60_000)
        last.stop()
        try world.settle(milliseconds: 25_000)
        try check(last.user, isOnline: false)
        try world.comeToRest()
    }

    /// Checks the answers to all others that share a chat with a user.
    private func check(_ user: UserID, isOnline: Bool) throws {
        for other in world.remaining where other != user {
            let shared = replays[other]?.messages.keys.contains { ChatID($0)?.other(than: other) == user } ?? false
            guard shared, let device = world.devices.last(where: { $0.user == other && !$0.isStopped && $0.isLive })
            else { continue }
            guard let online = try answer(to: device, about: user) else { continue }
            guard online.contains(.string(user.text)) == (isOnline && !isBlocked(user, other)) else {
                throw Broken("to \(device.name), \(user.text) is \(isOnline ? "not " : "")online, long after")
            }
        }
    }

    /// The user, if online; nil when the device's node may be the one that died.
    private func answer(to device: Device, about user: UserID) throws -> [JSONValue]? {
        for _ in 0..<5 {
            var answer: ClientReply?
            device.ask(ClientCommand(PresenceCommand.self, ["watch": .array([.string(user.text)])])) { answer = $0 }
            try world.run(until: sim_now() + 60_000) { answer != nil }
            switch answer {
            case .ok(let body): return body["online"]?.arrayValue
            // A thread that interrupts another one on the simulated disk may wait for its lock in vain.
            case .refused(let refusal) where refusal.code.errorClass == .retry: try world.settle(milliseconds: 500)
            case .refused, nil: throw Broken("presence was answered with \(answer as Any)")
            case .lost: return nil
            }
        }
        throw Broken("presence was refused five times")
    }
}
