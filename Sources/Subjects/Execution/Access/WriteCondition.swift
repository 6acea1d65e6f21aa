import ClientProtocol
package import JSON
import Model

/// The condition that a field of a document names the user who writes it: before the write, if there is a document, and
/// after the write, if there is still one. So nobody takes the document of another user, or gives one away.
///
/// - Confinement: any
package struct WriteCondition: Sendable {
    let path: DocumentPath
    let user: UserID
    let grant: ContentGrant

    /// - Parameter before: what is there; nil when there is nothing.
    /// - Throws: `Refusal` (`forbidden`) when it belongs to somebody else.
    package func check(before: JSONValue?) throws {
        guard before == nil || grant.isNamed(user, in: before) else { throw DocumentRights.notWritable(path) }
    }

    /// - Parameters:
    ///   - before: what is there; nil when there is nothing.
    ///   - after: what will be there; nil when there will be nothing.
    /// - Throws: `Refusal` (`forbidden`) naming the field.
    package func check(before: JSONValue?, after: JSONValue?) throws {
        guard let after else { return }
        let fields = grant.fields.sorted()
        guard grant.isNamed(user, in: after) else {
            let words = fields.joined(separator: " or ")
            throw Refusal(
                .forbidden, "\(words) of \(path) must name you, \(user.text)", field: "data.\(fields[0])")
        }
        // Where several fields count, a field that names somebody else alone must not change.
        for field in fields {
            let (old, new) = (before?[field], after[field])
            guard old != new, isOfAnother(old) || isOfAnother(new) else { continue }
            throw Refusal(
                .forbidden,
                "\(field) of \(path) names one user, and only that user may write himself into it",
                field: "data.\(field)"
            )
        }
    }

    private func isOfAnother(_ value: JSONValue?) -> Bool { value?.stringValue.map { $0 != user.text } ?? false }
}
