package import JSON
package import Store

/// JSON that this server wrote into the database itself.
///
/// - Confinement: any
package enum StoredJSON {
    /// - Throws: `StoredValueProblem` naming `place` when it is not an object: the file is damaged.
    package static func object(_ text: String, place: String) throws -> JSONObject {
        guard let value = try? JSONValue(parsing: Array(text.utf8), depthMax: 64), let object = value.objectValue else {
            throw StoredValueProblem(place: place)
        }
        return object
    }
}
