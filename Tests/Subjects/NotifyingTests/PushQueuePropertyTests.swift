import JSON
import Model
import Notifying
import Push
import ServicesTestSupport
import Store
import TestSupport
import Testing

/// A push job exists if and only if its notification may ring and somebody has a device, whatever happens.
struct PushQueuePropertyTests {
    private static let people = ["alice", "bob", "carol"]
    private static let audiences = [
        "user:alice", "user:bob", "followers:person:1", "everyone", "user:carol,followers:person:1",
    ]

    /// The preferences of a user, and the rule by which they silence a notification in the inbox.
    private struct Wishes {
        var levels: Set<InterruptionLevel> = [.active, .timeSensitive, .critical]
        var isMuted = false

        /// A critical notification passes a mute.
        func silence(_ level: InterruptionLevel) -> Bool {
            !levels.contains(level) || isMuted && level < .critical
        }

        var json: JSONObject {
            [
                "levels": .array(levels.map { .string($0.rawValue) }.sorted { $0.text < $1.text }),
                "mute": isMuted ? ["kinds": ["corrected": true]] : .null,
            ]
        }

        mutating func change(using random: inout SeededRandom) {
            if Bool.random(using: &random) { isMuted.toggle() }
            for level in [InterruptionLevel.active, .timeSensitive, .critical] where Bool.random(using: &random) {
                if levels.remove(level) == nil { levels.insert(level) }
            }
        }
    }

    /// A house whose items notify by their own words: audience, level, and whether a version rings.
    private static func house() throws -> House {
        let house = try House()
        for name in people { _ = try house.actor(name) }
        for name in people.prefix(2) { try house.follow(name, "person:1") }
        for once in [true, false] {
            for level in InterruptionLevel.allCases {
                for (place, audience) in audiences.enumerated() {
                    let name = "\(once ? "once" : "each")-\(level.rawValue)-\(place)"
                    let parts = audience.split(separator: ",").map { JSONValue.string(String($0)) }
                    try house.put(
                        trigger: [
                            "name": .string(name), "event": "write", "path": .string("items/{item}"),
                            "condition": .string("after->>'row' = '\(name)'"), "kind": "corrected",
                            "audience": parts.count == 1 ? parts[0] : .array(parts), "title": "t",
                            "collapse": "{{item}}", "alertOnce": .bool(once), "level": .string(level.rawValue),
                        ])
                }
            }
        }
        return house
    }

    /// A job as the model knows it: the notification, and whether many read it.
    private struct Expected: Hashable {
        let position: Position
        let isShared: Bool
    }

    /// The rows that a write has added, and for each whether a job must exist: the model.
    private static func expected(
        after position: Position, _ wishes: [String: Wishes], _ house: House
    ) throws -> Set<Expected> {
        try house.look { transaction in
            var expected: Set<Expected> = []
            let hasAny = try transaction.pushDevices.hasAny()
            for value in (position.value + 1)..<(house.head.value + 1) {
                guard let entry = try transaction.notifications.findWritten(at: Position(value)) else { continue }
                let owner = try transaction.users.name(of: entry.stream)?.text
                let hasDevice = try owner == nil ? hasAny : transaction.pushDevices.exists(of: entry.stream)
                let isSilenced = owner.map { (wishes[$0] ?? Wishes()).silence(entry.level) } ?? false
                guard hasDevice, entry.level > .passive, !isSilenced, entry.silence != .updated else { continue }
                expected.insert(Expected(position: entry.position, isShared: owner == nil))
            }
            return expected
        }
    }

    @Test(arguments: Seeds.first(6, of: 16))
    func `a job exists if and only if the row may ring`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let house = try Self.house()
        var wishes: [String: Wishes] = [:]
        var made = 0
        for step in 0..<80 {
            let name = try #require(Self.people.randomElement(using: &random))
            switch Int.random(in: 0..<12, using: &random) {
            case 0: try house.addDevice("d\(Int.random(in: 0..<2, using: &random))", of: name)
            case 1: for job in try house.pushJobs where job.state != .ended { try house.push(job) }
            case 2:
                wishes[name, default: Wishes()].change(using: &random)
                try house.write(ChangePreferences((wishes[name] ?? Wishes()).json), by: name)
            case 3: try house.seeSome(name, using: &random)
            default:
                let before = (head: house.head, jobs: try house.pushJobs)
                let once = Bool.random(using: &random) ? "once" : "each"
                let level = try #require(InterruptionLevel.allCases.randomElement(using: &random)).rawValue
                let row = "\(once)-\(level)-\(Int.random(in: 0..<5, using: &random))"
                let item = "items/\(Int.random(in: 0..<4, using: &random))"
                try house.put(item, ["row": .string(row), "n": .integer(Int64(step))])
                let fresh = try house.pushJobs.filter { job in !before.jobs.contains { $0.id == job.id } }
                let rings = fresh.filter { $0.kind == .notification }
                let found = Set(rings.map { Expected(position: $0.position, isShared: $0.isShared) })
                #expect(try found == Self.expected(after: before.head, wishes, house), "step \(step)")
                #expect(found.count == rings.count)
                made += rings.count
            }
            try Self.checkOthers(house)
        }
        #expect(made > 5)
    }

    /// Jobs that are open are about notifications that stand; one quiet update at most waits for each.
    private static func checkOthers(_ house: House) throws {
        let open = try house.pushJobs.filter { $0.state != .ended }
        for job in open where job.kind != .withdrawal {
            #expect(try house.look { try $0.notifications.find(job.position) } != nil)
        }
        let quiet = open.filter { $0.kind == .quietUpdate }
        #expect(Set(quiet.map(\.position)).count == quiet.count)
    }
}
