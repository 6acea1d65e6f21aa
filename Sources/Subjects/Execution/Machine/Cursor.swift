package import ClientProtocol

/// The `next` of a list: clients see an opaque text; the server sees the number by which the list is ordered.
///
/// - Confinement: any
package enum Cursor {
    /// - Throws: `Refusal` naming `field` when this server has not given out the text.
    package static func number(_ text: String?, field: String) throws(Refusal) -> Int64? {
        guard let text else { return nil }
        // As long as the documents say: no list has a greater number.
        guard text.utf8.count <= 18, let number = Int64(text), number >= 0, String(number) == text else {
            throw Refusal.badRequest(field: field, "must be the member next of an earlier page")
        }
        return number
    }
}
