package import ClientProtocol
import Execution
import JSON
package import Model
import Triggers

/// The people of a broadcast to several audiences together, without exceptions; each of them gets it once.
///
/// Those that are named, and the members of rooms and roles, have a row in the inbox; the followers of all topics, or everyone,
/// read one row.
///
/// - Confinement: any
package struct BroadcastScope: Sendable, Hashable {
    /// Without people, each once.
    let audiences: [BroadcastAudience]
    /// Without people, each once.
    let except: [BroadcastAudience]
    /// Each once, in their order. A stored scope has none: the table of its people has their numbers.
    let users: [UserID]
    let exceptUsers: [UserID]

    /// - Parameters:
    ///   - audiences: at least one of them or of the users.
    ///   - users: people beside the audiences, as a file names them.
    ///   - except: neither everyone nor those who are online.
    /// - Throws: `Refusal` naming the field.
    package init(
        _ audiences: [BroadcastAudience], users: [UserID] = [], except: [BroadcastAudience] = []
    ) throws(Refusal) {
        guard !audiences.isEmpty || !users.isEmpty else {
            throw Refusal.badRequest(field: "audiences", "or users must name somebody")
        }
        guard !audiences.contains(.online) else {
            throw Refusal.badRequest(
                field: "audiences", "must have online alone, as audience, without others and without except")
        }
        guard !except.contains(where: { $0 == .everyone || $0 == .online }) else {
            throw Refusal.badRequest(field: "except", "must name people, rooms, roles or topics")
        }
        for (field, list) in [("audiences", audiences), ("except", except)]
        where list.count > BroadcastLimits.audiencesMax {
            throw Refusal.badRequest(field: field, "has at most \(BroadcastLimits.audiencesMax) members")
        }
        self.audiences = Self.once(audiences.filter { $0.user == nil })
        self.except = Self.once(except.filter { $0.user == nil })
        self.users = Self.once(users + audiences.compactMap(\.user)).sorted()
        exceptUsers = Self.once(except.compactMap(\.user)).sorted()
    }

    private static func once<Member: Hashable>(_ members: [Member]) -> [Member] {
        var known: Set<Member> = []
        return members.filter { known.insert($0).inserted }
    }

    /// The audience that reads one row; nil when there are only people with rows of their own.
    var shared: Audience? {
        if audiences.contains(.everyone) { return .everyone }
        let topics = audiences.compactMap { audience -> Audience? in
            if case .followers(let topic) = audience { .followers(topic) } else { nil }
        }
        return topics.isEmpty ? nil : Audience(all: topics)
    }

    /// For people, without their names: `person:525, room:1c, 3 people, except role:staff`.
    var text: String {
        let included = audiences.map(\.listText) + Self.counted(users)
        let excepted = except.map(\.listText) + Self.counted(exceptUsers)
        return included.joined(separator: ", ")
            + (excepted.isEmpty ? "" : ", except " + excepted.joined(separator: ", "))
    }

    private static func counted(_ users: [UserID]) -> [String] {
        users.isEmpty ? [] : [users.count == 1 ? "1 person" : "\(users.count) people"]
    }

    // MARK: Storing

    /// As the row keeps it: the people are in a table of their own.
    var stored: JSONValue {
        ["audiences": Self.list(audiences), "except": Self.list(except)]
    }

    private static func list(_ audiences: [BroadcastAudience]) -> JSONValue {
        .array(audiences.map { .string($0.listText) })
    }

    /// A stored scope, without its people.
    init(stored: JSONValue) {
        func audiences(_ name: String) -> [BroadcastAudience] {
            (stored[name]?.arrayValue ?? []).compactMap { $0.stringValue.flatMap(BroadcastAudience.init(ofList:)) }
        }
        self.audiences = audiences("audiences")
        except = audiences("except")
        (users, exceptUsers) = ([], [])
    }

    func add(to fingerprint: inout Fingerprint) {
        fingerprint.add("scope \(audiences.count) \(users.count) \(except.count) \(exceptUsers.count)")
        for audience in audiences + except { fingerprint.add(audience.listText) }
        for user in users + exceptUsers { fingerprint.add(user.text) }
    }
}
