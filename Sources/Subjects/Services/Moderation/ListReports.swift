package import ClientProtocol
package import Execution
package import JSON
import Model
import Store

/// `GET /v1/reports`: what was reported, newest first, without the copies.
///
/// - Confinement: any
package struct ListReports: ReadUseCase {
    let isOpen: Bool?
    let category: ReportCategory?
    let user: UserID?
    let before: String?
    let limit: Int

    /// - Throws: `Refusal` naming the field.
    package init(
        state: String?, category: String?, user: String?, before: String?, limit: Int
    ) throws(Refusal) {
        switch state {
        case nil: isOpen = nil
        case "open": isOpen = true
        case "decided": isOpen = false
        default: throw Refusal.badRequest(field: "state", "must be open or decided")
        }
        self.category = category.flatMap(ReportCategory.init)
        guard category == nil || self.category != nil else {
            throw Refusal.badRequest(field: "category", "must be \(ReportCategory.form)")
        }
        self.user = user.flatMap(UserID.init(stored:))
        guard user == nil || self.user != nil else {
            throw Refusal.badRequest(field: "user", "must be \(UserID.form)")
        }
        self.before = before
        self.limit = limit
    }

    package func perform(in context: ReadContext) throws -> JSONObject {
        let transaction = context.transaction
        let before = try Cursor.number(before, field: "before") ?? .max
        var about: StreamID?
        if let user {
            about = try transaction.users.number(of: user)
            guard about != nil else { throw Refusal.noUser(user) }
        }
        let reports = try transaction.reports.page(
            isOpen: isOpen, category: category?.rawValue, user: about, before: before, limit: limit + 1)
        let page = Page(reports, limit: limit) { String($0.id) }
        let listed = try page.entries.map { JSONValue.object(try $0.json(in: transaction)) }
        var answer: JSONObject = ["reports": .array(listed)]
        answer["next"] = page.next.map { .string($0) }
        return answer
    }
}

/// `GET /v1/reports/ID`: one report with its copy.
///
/// - Confinement: any
package struct ReadReport: ReadUseCase {
    let id: Int64

    package init(_ id: Int64) { self.id = id }

    package func perform(in context: ReadContext) throws -> JSONObject {
        guard let report = try context.transaction.reports.find(id) else { throw ReportEntry.noReport(id) }
        var json = try report.json(in: context.transaction)
        json["messages"] = try report.copy.map { try JSONValue(parsing: Array($0.utf8)) } ?? .array([])
        return json
    }
}
