package import JSON
import Model
import Store

/// `GET /v1/revocations`: a page of those in force, newest first.
///
/// - Confinement: any
package struct ListRevocations: ReadUseCase {
    let before: String?
    let limit: Int

    package init(before: String?, limit: Int) {
        self.before = before
        self.limit = limit
    }

    package func perform(in context: ReadContext, reply: inout JSONWriter) throws {
        let before = try Cursor.number(before, field: "before")
        let page = try context.transaction.revocations.page(before: before, limit: limit + 1, at: context.now)
        reply.name("revocations")
        reply.beginArray()
        for entry in page.prefix(limit) {
            reply.beginObject()
            entry.write(to: &reply)
            reply.endObject()
        }
        reply.endArray()
        if page.count > limit { reply.member("next", String(page[limit - 1].id)) }
    }
}
