import ClientProtocol
package import Execution
package import JSON
package import Model
import PersonalData
import Push
import Store

/// `DELETE /v1/users/ID` with `dryRun`: how many rows of each kind an erasure would take.
///
/// - Confinement: any
package struct CountErasure: ReadUseCase {
    let user: UserID

    package init(_ user: UserID) { self.user = user }

    package func perform(in context: ReadContext) throws -> JSONObject {
        let (transaction, erasures) = (context.transaction, context.transaction.erasures)
        guard let entry = try transaction.users.find(user) else { throw Refusal.noUser(user) }
        let id = entry.id
        var rows = ErasureCounts()
        for kind in PersonRows.all { rows.add(try erasures.count(kind, of: id), kind.kind) }
        rows.add(Int64(try transaction.pushDevices.all(of: id).count), "device")
        rows.add(entry.follows, "follow")
        rows.add(try transaction.streams.find(Topic(user: user))?.followers ?? 0, "followed")
        for chat in try transaction.chats.numbers(of: id) {
            rows.add(1, "chat")
            rows.add(try erasures.countMessages(of: id, in: chat), "message")
        }
        rows.add(
            Int64(try erasures.documents(of: user, after: "", limit: ErasureLimits.countedDocuments).count), "document")
        return ["user": .string(user.text), "dryRun": true, "rows": .object(rows.json)]
    }
}

/// How many rows of each kind went.
///
/// - Confinement: any
struct ErasureCounts {
    private(set) var json: JSONObject = [:]

    init() {}

    /// - Throws: `StoredValueProblem` when the text was not made from ``json``.
    init(_ text: String) throws { json = try StoredJSON.object(text, place: "erasures.counts") }

    mutating func add(_ count: Int64, _ kind: String) {
        guard count > 0 else { return }
        json[kind] = .integer((json[kind]?.integerValue ?? 0) + count)
    }

    mutating func add(_ count: Int, _ kind: String) { add(Int64(count), kind) }

    var text: String { JSONValue.object(json).text }
}
