import Foundation
import JSON
import Session

/// The registration of a device for pushes, as far as a sign-out has to end it. One that cannot be ended, because there is no network,
/// stands in a file beside the store, which is deleted: the next time that its user is here, it is ended.
/// - Confinement: WatchWiseActor
@WatchWiseActor
final class PushRegistration {
    /// The note of the store that this device is registered, or may be.
    private static let note = "pushes"
    private static let answerWithin = Duration.seconds(30)
    private let user: String
    private let store: DeviceStore
    private let path: String?
    private let ask: (JSONObject, Duration) async throws -> JSONValue

    /// - Parameters:
    ///   - location: Of the store. Nothing outlives a store in memory.
    ///   - ask: Sends the command `device` and waits for its answer.
    init(
        of user: String, _ store: DeviceStore, at location: StoreLocation,
        ask: @escaping (JSONObject, Duration) async throws -> JSONValue
    ) {
        (self.user, self.store, self.ask) = (user, store, ask)
        path = if case .file(let path) = location { path + ".left" } else { nil }
    }

    /// Registers; noted before, because the answer may be lost.
    func begin(_ fields: JSONObject) async throws {
        try write(true)
        _ = try await ask(fields, Self.answerWithin)
    }

    func end() async throws {
        _ = try await ask(["remove": true], Self.answerWithin)
        try write(false)
    }

    private func write(_ isRegistered: Bool) throws {
        try store.write { try $0.apply(.note(Self.note, .bool(isRegistered))) }
    }

    /// Nothing may ring for somebody who has left: ends it now, or with the next start of this user.
    /// - Parameter name: That of the device.
    func leave(_ name: String, within limit: Duration) async {
        guard (try? store.read { try $0.note(Self.note)?.boolValue }) == true else { return }
        do {
            _ = try await ask(["remove": true], limit)
        } catch {
            keep(left + [name])
        }
    }

    // MARK: What was left

    /// The device is live: ends what an earlier sign-out of this user could not end.
    func wentLive() {
        if left.isEmpty { return }
        Task {
            for name in left {
                guard (try? await ask(["remove": .string(name)], Self.answerWithin)) != nil else { return }
                keep(left.filter { $0 != name })
            }
        }
    }

    /// The devices of this user that may get pushes still.
    private var left: [String] { all[user]?.arrayValue?.compactMap(\.stringValue) ?? [] }

    /// By user: a store at this place may be another person's by now.
    private var all: JSONObject {
        guard let path, let data = FileManager.default.contents(atPath: path) else { return [:] }
        return (try? JSONValue(parsing: Array(data)))?.objectValue ?? [:]
    }

    private func keep(_ names: [String]) {
        guard let path else { return }
        var all = all
        all[user] = names.isEmpty ? nil : .array(names.map { .string($0) })
        if all.members.isEmpty {
            try? FileManager.default.removeItem(atPath: path)
        } else {
            // Where there is no room, the push service or another registration of this phone ends it.
            try? Data(JSONValue.object(all).bytes).write(to: URL(fileURLWithPath: path), options: .atomic)
        }
    }
}
