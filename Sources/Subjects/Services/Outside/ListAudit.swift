package import Execution
package import JSON
import Model
package import Store

/// `GET /v1/audit`: a page of what administrators did, newest first.
///
/// - Confinement: any
package struct ListAudit: ReadUseCase {
    let filter: AuditFilter
    let before: String?
    let limit: Int

    package init(_ filter: AuditFilter, before: String?, limit: Int) {
        self.filter = filter
        self.before = before
        self.limit = limit
    }

    package func perform(in context: ReadContext) throws -> JSONObject {
        let page = try context.transaction.audit.page(
            filter, before: Cursor.number(before, field: "before"), limit: limit, looked: Limits.auditRowsLooked)
        var answer: JSONObject = ["audit": .array(try page.entries.map { .object(try $0.json) })]
        answer["next"] = page.next.map { .string(String($0)) }
        return answer
    }
}

extension AuditEntry {
    fileprivate var json: JSONObject {
        get throws {
            var json: JSONObject = ["id": .integer(id), "at": .string(at.text), "actor": .string(note.actor)]
            json["kind"] = note.kind.map { .string($0.rawValue) }
            json["jti"] = note.tokenID.map { .string($0) }
            json["address"] = .string(note.address)
            json["request"] = .string(note.request)
            json["action"] = .string(note.action)
            json["target"] = .string(note.target)
            json["detail"] = try note.detail.map { .object(try StoredJSON.object($0, place: "audit.detail")) }
            json["outcome"] = .string(outcome)
            return json
        }
    }
}
