package import Model

/// Recommends a product to a person, and opens the chat when there is none.
///
/// - Confinement: any
package struct RecommendCommand: Command {
    package static let name = "recommend"

    package var to: UserID
    package var product: Product
    package var note: String?
    package var key: WriteKey

    package init(to: UserID, product: Product, note: String? = nil, key: WriteKey) {
        self.to = to
        self.product = product
        self.note = note
        self.key = key
    }

    package init(_ fields: Fields) throws(Refusal) {
        to = try fields.required("to").userID()
        product = try fields.required("product").product()
        note = try fields.optional("note")?.text(0...Limits.noteCharactersMax)
        key = try fields.required("key").key()
    }
}
