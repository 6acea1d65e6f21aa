package import Execution
package import JSON
import Model
import Store

/// `GET /v1/revocations`: a page of the revocations in force, newest first.
///
/// - Confinement: any
package struct ListRevocations: ReadUseCase {
    let before: String?
    let limit: Int

    package init(before: String?, limit: Int) {
        self.before = before
        self.limit = limit
    }

    package func perform(in context: ReadContext) throws -> JSONObject {
        let before = try Cursor.number(before, field: "before")
        let entries = try context.transaction.revocations.page(before: before, limit: limit + 1, at: context.now)
        return JSONObject("revocations", Page(entries, limit: limit) { String($0.id) }) { .object($0.json) }
    }
}
