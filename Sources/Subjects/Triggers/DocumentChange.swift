package import JSON
package import Model

/// One change of one document, as triggers see it.
///
/// Made only when ``TriggerTable/watching(_:)`` finds a trigger that the change concerns. It has both documents as
/// values, for templates and audiences, and as text, for conditions.
///
/// - Confinement: any
package struct DocumentChange: Sendable {
    package let path: DocumentPath
    package let event: ChangeEvent
    /// The document before the change; nil for a create.
    package let before: JSONValue?
    /// The document after it; nil for a delete.
    package let after: JSONValue?

    /// The other documents that the current row reads, in the order of its names; nil for documents that do not exist.
    package var others: [JSONValue?] = []

    /// The time zone of the row's one reader; nil where the row does not ask for it, or has no such reader.
    package var readerZone: String?

    let beforeBytes: [UInt8]?
    let afterBytes: [UInt8]?

    /// - Parameters:
    ///   - beforeBytes: The JSON text of `before` if the caller has it (the store keeps documents as text); when nil,
    ///     the value is encoded.
    ///   - afterBytes: The same for `after`.
    package init(
        path: DocumentPath,
        event: ChangeEvent,
        before: JSONValue?,
        after: JSONValue?,
        beforeBytes: [UInt8]? = nil,
        afterBytes: [UInt8]? = nil
    ) {
        self.path = path
        self.event = event
        self.before = before
        self.after = after
        self.beforeBytes = before == nil ? nil : beforeBytes ?? before?.bytes
        self.afterBytes = after == nil ? nil : afterBytes ?? after?.bytes
    }

    /// Bytes of both documents.
    package var byteCount: Int { (beforeBytes?.count ?? 0) + (afterBytes?.count ?? 0) }

    /// The change as if the document had not existed before.
    package var asCreation: DocumentChange {
        var creation = DocumentChange(path: path, event: .create, before: nil, after: after, afterBytes: afterBytes)
        creation.others = others
        creation.readerZone = readerZone
        return creation
    }
}
