import ClientProtocol
package import Execution
package import JSON
package import Model
import Push
import Store

/// `GET /v1/push/jobs`: pushes that wait, are being sent or are over, newest first.
///
/// - Confinement: any
package struct ListPushJobs: ReadUseCase {
    let user: UserID?
    let state: String?
    let before: String?
    let limit: Int

    /// - Parameters:
    ///   - user: only jobs that concern this user's devices; nil for all.
    ///   - state: `waiting`, `begun` or `ended`; nil for all.
    package init(of user: UserID?, state: String?, before: String?, limit: Int) {
        self.user = user
        self.state = state
        self.before = before
        self.limit = limit
    }

    package func perform(in context: ReadContext) throws -> JSONObject {
        let before = try Cursor.number(before, field: "before") ?? .max
        let state = try state.map { try Self.state($0) }
        let table = context.transaction.pushJobs
        let jobs: [PushJobEntry]
        if let user {
            guard let number = try context.transaction.users.number(of: user) else { throw Refusal.noUser(user) }
            jobs = try table.list(of: number, state: state, before: before, limit: limit + 1)
        } else {
            jobs = try table.list(state: state, before: before, limit: limit + 1)
        }
        let page = Page(jobs, limit: limit) { String($0.id) }
        var names: [Int64: String] = [:]
        for job in page.entries { names[job.id] = try table.streamName(of: job) }
        return JSONObject("jobs", page) { .object($0.json(streamName: names[$0.id])) }
    }

    private static func state(_ text: String) throws(Refusal) -> PushJobEntry.State {
        guard let state = PushJobEntry.State(rawValue: text) else {
            let words = PushJobEntry.State.allCases.map(\.rawValue).joined(separator: ", ")
            throw Refusal.badRequest(field: "state", "must be one of \(words)")
        }
        return state
    }
}

extension PushJobEntry {
    /// The job as operators see it.
    ///
    /// - Parameter name: of its stream; nil when that is gone.
    func json(streamName name: String?) -> JSONObject {
        var object: JSONObject = [
            "id": .string(String(id)), "kind": .string(kind.rawValue), "state": .string(state.rawValue),
            "level": .string(level.rawValue), "seq": .integer(position.value),
        ]
        if let name {
            let isChat = if case .chat = stream.kind { true } else { false }
            let member = isChat ? "chat" : name.hasPrefix("@") ? "user" : "topic"
            object[member] = .string(member == "user" ? String(name.dropFirst()) : name)
        }
        if let chatFrom {
            object["n"] = .integer(chatFrom)
        } else {
            object["notification"] = .string("n\(position.value)")
        }
        object["at"] = .string(at.text)
        object["due"] = .string(due.text)
        object["ends"] = .string(ends.text)
        object["pushed"] = .integer(pushed)
        object["skipped"] = .integer(skipped)
        object["failed"] = .integer(failed)
        object["previous"] = previous.map { .string(String($0)) }
        if isLarge { object["large"] = true }
        return object
    }
}
