import JSON
import Model

/// The columns of a row as JSON, read one by one; each mistake becomes a problem with the column's name.
struct TriggerRow {
    private let object: JSONObject

    init(_ json: JSONValue) throws(TriggerProblem) {
        guard let object = json.objectValue else {
            throw TriggerProblem(field: "", message: "a trigger must be a JSON object")
        }
        // The server's own note in a stored row is not a column; a client may read such a row and put it back.
        for (name, _) in object.members
        where name != TriggerDefinition.setAsideMember && !TriggerDefinition.fields.contains(name) {
            throw TriggerProblem(
                field: name,
                message: "there is no such column; a trigger has \(TriggerDefinition.fields.joined(separator: ", "))"
            )
        }
        self.object = object
    }

    /// Whether the column is there and not null.
    func has(_ field: String) -> Bool { value(field) != nil }

    /// The column's value; nil when it is absent or null.
    func value(_ field: String) -> JSONValue? {
        guard let value = object[field], !value.isNull else { return nil }
        return value
    }

    func required(_ field: String) throws(TriggerProblem) -> JSONValue {
        guard let value = value(field) else { throw TriggerProblem(field: field, message: "is required") }
        return value
    }

    func text(_ field: String) throws(TriggerProblem) -> String {
        guard let text = try required(field).stringValue else {
            throw TriggerProblem(field: field, message: "must be a text")
        }
        return text
    }

    /// A text of `a`–`z`, digits and `extra`.
    func word(_ field: String, form: String, extra: String) throws(TriggerProblem) -> String {
        let text = try text(field)
        guard Self.isWord(text, extra: extra) else {
            throw TriggerProblem(field: field, message: "'\(text.prefix(80))' is not of the form: \(form)")
        }
        return text
    }

    /// Whether a text has 1 to 64 of `a`–`z`, digits and `extra`.
    static func isWord(_ text: String, extra: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (0x61...0x7a).contains(byte) || (0x30...0x39).contains(byte) || extra.utf8.contains(byte)
            }
    }

    /// One of the words of an enumeration.
    func word<Word: RawRepresentable & CaseIterable>(
        _ field: String,
        of type: Word.Type
    ) throws(TriggerProblem) -> Word where Word.RawValue == String {
        let text = try text(field)
        guard let word = Word(rawValue: text) else {
            let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
            throw TriggerProblem(field: field, message: "'\(text.prefix(80))' is not one of \(words)")
        }
        return word
    }

    /// An expression; nil when it is empty or only spaces.
    func expression(_ field: String) throws(TriggerProblem) -> String? {
        try Self.expression(value(field) ?? "", field: field)
    }

    static func expression(_ value: JSONValue, field: String) throws(TriggerProblem) -> String? {
        guard let text = value.stringValue else { throw TriggerProblem(field: field, message: "must be a text") }
        guard text.utf8.count <= TriggerLimits.expressionBytesMax else {
            throw TriggerProblem(
                field: field,
                message: "an expression has at most \(TriggerLimits.expressionBytesMax) bytes"
            )
        }
        return text.allSatisfy(\.isWhitespace) ? nil : text
    }

    func seconds(_ field: String, max: Int64) throws(TriggerProblem) -> Int64? {
        guard let value = value(field) else { return nil }
        guard let seconds = value.integerValue, (1...max).contains(seconds) else {
            throw TriggerProblem(field: field, message: "must be whole seconds from 1 to \(max)")
        }
        return seconds
    }

    func flag(_ field: String) throws(TriggerProblem) -> Bool? {
        guard let value = value(field) else { return nil }
        guard let flag = value.boolValue else { throw TriggerProblem(field: field, message: "must be true or false") }
        return flag
    }

    func object(_ field: String, bytesMax: Int) throws(TriggerProblem) -> JSONObject {
        guard let value = value(field) else { return JSONObject() }
        guard let object = value.objectValue else { throw TriggerProblem(field: field, message: "must be an object") }
        guard value.bytes.count <= bytesMax else {
            throw TriggerProblem(field: field, message: "has at most \(bytesMax) bytes")
        }
        return object
    }

    /// An address that can receive a webhook: http or https, a host, no user, no fragment (RFC 3986).
    func address(_ field: String) throws(TriggerProblem) -> String? {
        guard has(field) else { return nil }
        let text = try text(field)
        let problem = TriggerProblem(
            field: field,
            message: "must be an address such as https://example.com/hook, without user and fragment"
        )
        guard text.utf8.count <= TriggerLimits.webhookBytesMax, WebAddress(text) != nil else { throw problem }
        return text
    }
}
