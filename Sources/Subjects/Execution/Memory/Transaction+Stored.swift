package import JSON
package import Model
package import Store

extension Transaction {
    /// The content of a document in the table of documents; nil when there is none.
    ///
    /// - Throws: `StoredValueProblem` when the file is damaged.
    package func storedDocument(_ path: DocumentPath) throws -> JSONObject? {
        try documents.find(path)?.body.map { try StoredJSON.object($0, place: "documents.body") }
    }

    /// The row of a user whose number is known.
    ///
    /// - Throws: `StoredValueProblem` when there is none: the file is damaged.
    package func storedUser(_ id: StreamID) throws -> UserEntry {
        guard let user = try users.find(id) else { throw StoredValueProblem(place: "users.id") }
        return user
    }
}
