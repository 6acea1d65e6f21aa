package import JSON
package import Model
import Store

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

    /// - Throws: `StoredValueProblem` when it is not a product.
    package static func product(_ text: String) throws -> Product {
        let stored = try object(text, place: "messages.product")
        guard let id = stored["id"]?.stringValue,
            let product = Product(
                id: id,
                title: stored["title"]?.stringValue,
                year: stored["year"]?.integerValue.map(Int.init),
                poster: stored["poster"]?.stringValue
            )
        else { throw StoredValueProblem(place: "messages.product") }
        return product
    }
}

extension Product {
    /// The object as triggers and documents see it.
    package var json: JSONObject {
        var object: JSONObject = ["id": .string(id)]
        if let title { object["title"] = .string(title) }
        if let year { object["year"] = .integer(Int64(year)) }
        if let poster { object["poster"] = .string(poster) }
        return object
    }
}
