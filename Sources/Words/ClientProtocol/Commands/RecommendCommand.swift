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
}

extension RecommendCommand {
    package init(_ fields: Fields) throws(Refusal) {
        to = try fields.required("to").userID()
        product = try fields.required("product").product()
        note = try fields.optional("note")?.text(0...Limits.noteCharactersMax)
        key = try fields.required("key").key()
    }
}
