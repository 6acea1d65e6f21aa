import ClientProtocol

/// The opaque `next` of a list: to clients a text, inside a number by which the list is ordered.
///
/// - Confinement: any
enum Cursor {
    /// - Throws: `Refusal` naming `field` when the text is none that this server gave out.
    static func number(_ text: String?, field: String) throws -> Int64? {
        guard let text else { return nil }
        guard let number = Int64(text), number >= 0, String(number) == text else {
            throw Refusal.badRequest(field: field, "must be the member next of an earlier page")
        }
        return number
    }
}
