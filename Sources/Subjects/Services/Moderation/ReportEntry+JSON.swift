import ClientProtocol
import Execution
import JSON
import Model
package import Store

extension ReportEntry {
    /// The name on the wire: `r12`.
    var name: String { "r\(id)" }

    /// The number of a report's name; nil when the text has another form.
    package static func id(named name: String) -> Int64? {
        guard name.first == "r", let id = Int64(name.dropFirst()), id > 0, "r\(id)" == name else { return nil }
        return id
    }

    static func noReport(_ id: Int64) -> Refusal { Refusal(.notFound, "there is no report r\(id)", field: "report") }

    /// As moderators see it, without the copy.
    func json(in transaction: Transaction) throws -> JSONObject {
        guard let reporter = try transaction.users.name(of: reporter), let user = try transaction.users.name(of: user)
        else { throw StoredValueProblem(place: "reports.user") }
        var json: JSONObject = [
            "report": .string(name), "at": .string(at.text), "state": decision == nil ? "open" : "decided",
            "user": .string(user.text), "reporter": .string(reporter.text), "category": .string(category),
        ]
        json["chat"] = chat.map { .string($0) }
        json["n"] = n.map { .integer($0) }
        json["reason"] = reason.map { .string($0) }
        guard let decision else { return json }
        json["action"] = .string(decision.action)
        json["until"] = decision.until.map { .string($0.text) }
        json["statement"] = .string(decision.statement)
        json["note"] = decision.note.map { .string($0) }
        json["decidedAt"] = .string(decision.at.text)
        json["by"] = .string(decision.by)
        return json
    }

    /// The write of the document `reports/ID`, which has neither the reporter nor any words: rules may open it, and
    /// triggers notify of it.
    func document(of user: UserID, _ decision: ReportDecision? = nil) throws -> DocumentWrite {
        var data: JSONObject = [
            "user": .string(user.text), "category": .string(category), "at": .string(at.text),
            "state": decision == nil ? "open" : "decided",
        ]
        data["chat"] = chat.map { .string($0) }
        data["n"] = n.map { .integer($0) }
        data["action"] = decision.map { .string($0.action) }
        return DocumentWrite(path: try path, operation: .put(data))
    }

    var path: DocumentPath { get throws { try DocumentPath("reports/" + name) } }
}
