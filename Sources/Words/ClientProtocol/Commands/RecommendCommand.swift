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
    private static let product = ValueForm.object(
        [
            .need("id", .productID), .mayBeNull("title", .text(0...FieldLimits.productTitleCharactersMax)),
            .mayBeNull("year", .integer(0...9999)),
            .mayBeNull("poster", .text(0...FieldLimits.addressCharactersMax)),
        ], isOpen: true)
    package static let form = CommandForm(
        [
            .need("to", .newUser), .need("product", product), .may("note", .text(0...Limits.noteCharactersMax)), .key,
        ], ok: CommandForm.written)

    package init(_ fields: Fields) throws(Refusal) {
        to = try fields.required("to").userID()
        product = try fields.required("product").product()
        note = try fields.optional("note")?.text(0...Limits.noteCharactersMax)
        key = try fields.required("key").key()
    }
}
