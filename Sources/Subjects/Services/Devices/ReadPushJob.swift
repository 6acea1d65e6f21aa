import ClientProtocol
package import Execution
package import JSON
import Model
import Push
import Store

/// `GET /v1/push/jobs/ID`: one push job, with what became of it for each device.
///
/// - Confinement: any
package struct ReadPushJob: ReadUseCase {
    let id: Int64
    let after: String?
    let limit: Int

    /// - Parameter after: the last device of the page before; nil for the first page.
    package init(id: Int64, after: String?, limit: Int) {
        self.id = id
        self.after = after
        self.limit = limit
    }

    package func perform(in context: ReadContext) throws -> JSONObject {
        let after = try Cursor.number(after, field: "after") ?? 0
        let table = context.transaction.pushJobs
        guard let job = try table.job(id) else {
            throw Refusal(.notFound, "there is no push job \(id)", field: "id")
        }
        let tries = try table.tries(of: id, after: after, limit: limit + 1)
        let page = Page(tries, limit: limit) { String($0.device) }
        var rows: [JSONValue] = []
        for entry in page.entries { rows.append(.object(try Self.json(entry, in: context))) }
        var object = job.json(streamName: try table.streamName(of: job))
        object["tries"] = .array(rows)
        object["next"] = page.next.map { .string($0) }
        return object
    }

    /// A device that is gone has only its number.
    private static func json(_ entry: PushTryEntry, in context: ReadContext) throws -> JSONObject {
        var object: JSONObject = ["id": .string(String(entry.device))]
        if let device = try context.transaction.pushDevices.find(entry.device) {
            object["user"] = try context.transaction.users.name(of: device.user).map { .string($0.text) }
            object["device"] = .string(device.device)
            object["platform"] = .string(device.registration.platform.rawValue)
        }
        object["state"] = .string(entry.state.rawValue)
        object["attempts"] = .integer(entry.attempts)
        object["at"] = .string(entry.at.text)
        object["next"] = entry.due.map { .string($0.text) }
        object["status"] = entry.status.map { .integer($0) }
        object["answer"] = .string(entry.answer)
        return object
    }
}
