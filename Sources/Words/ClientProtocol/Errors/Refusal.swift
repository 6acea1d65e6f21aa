package import JSON

/// A command answered with an error: expected, understood, and sent to the client. Not a failure of the server.
///
/// - Confinement: any
package struct Refusal: Error, Hashable, Sendable {
    package var code: ErrorCode
    /// A sentence for people.
    package var message: String
    /// The dotted path of the wrong member, for example `product.id`.
    package var field: String?
    /// How long the client should wait: for codes of the class `limit`, and for `retry` when the server knows it.
    package var retryAfterMilliseconds: Int64?
    /// In a conflict, the present document.
    package var found: Found?

    /// The present state of a document: its version and its data are written beside the other members.
    package struct Found: Hashable, Sendable {
        /// 0 when there is none.
        package let version: Int64
        /// JSON of an object; nil when there is none.
        package let data: [UInt8]?

        package init(version: Int64, data: [UInt8]?) {
            self.version = version
            self.data = data
        }
    }

    package init(_ code: ErrorCode, _ message: String, field: String? = nil, retryAfterMilliseconds: Int64? = nil) {
        self.code = code
        self.message = message
        self.field = field
        self.retryAfterMilliseconds = retryAfterMilliseconds
    }

    /// `bad-request` for a wrong member; `wanted` follows its name: "must be a string".
    package static func badRequest(field: String, _ wanted: String) -> Refusal {
        Refusal(.badRequest, "\(field) \(wanted)", field: field)
    }

    /// `bad-request` for bytes that are not valid JSON.
    ///
    /// - Parameters:
    ///   - error: The reader's error.
    ///   - whole: A name for the bytes, used when no single member is wrong.
    package init(_ error: JSONError, whole: String = "the command") {
        self = .badRequest(field: error.field.isEmpty ? whole : error.field, error.message)
        if error.field.isEmpty { field = nil }
    }

    /// Writes the members of the `error` object.
    package func write(to writer: inout JSONWriter) {
        writer.member("code", code.rawValue)
        writer.member("class", code.errorClass.rawValue)
        writer.member("message", message)
        if let field { writer.member("field", field) }
        if let retryAfterMilliseconds { writer.member("retryAfterMs", retryAfterMilliseconds) }
        guard let found else { return }
        writer.member("version", found.version)
        writer.name("data")
        if let data = found.data { writer.raw(data) } else { writer.null() }
    }

    /// The `error` object, on the client's side.
    package var json: JSONValue {
        var writer = JSONWriter()
        writer.beginObject()
        write(to: &writer)
        writer.endObject()
        return (try? JSONValue(parsing: writer.bytes)) ?? .null
    }

    /// Reads an `error` object, on the client's side; nil when neither its code nor its class is known.
    ///
    /// An unknown code of a newer server is replaced by its class: the client acts on the class.
    package init?(_ error: JSONValue) {
        let code: ErrorCode
        if let known = error["code"]?.stringValue.flatMap(ErrorCode.init(rawValue:)) {
            code = known
        } else {
            switch error["class"]?.stringValue.flatMap(ErrorClass.init(rawValue:)) {
            case .permanent: code = .forbidden
            case .retry: code = .internal
            case .auth: code = .unauthenticated
            case .limit: code = .rateLimited
            case nil: return nil
            }
        }
        self.init(
            code,
            error["message"]?.stringValue ?? code.rawValue,
            field: error["field"]?.stringValue,
            retryAfterMilliseconds: error["retryAfterMs"]?.integerValue
        )
        guard let version = error["version"]?.integerValue else { return }
        let data = error["data"] ?? .null
        found = Found(version: version, data: data.isNull ? nil : data.bytes)
    }
}
