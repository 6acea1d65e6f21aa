import JSON
import Model

/// One member of a command, which can be read as different types.
///
/// Each of these functions throws a `bad-request` with the name of the member and the expected form.
///
/// - Confinement: any
struct Field {
    let bytes: [UInt8]
    let token: JSONToken
    let path: String

    func refusal(_ wanted: String) -> Refusal {
        .badRequest(field: path, wanted)
    }

    private var reader: JSONReader {
        JSONReader(bytes, at: token, field: path, depthMax: Limits.jsonDepthMax)
    }

    func string() throws(Refusal) -> String {
        guard token.kind == .string else { throw refusal("must be a string") }
        return token.string(in: bytes)
    }

    /// A text with a number of characters in the range, counted as Unicode code points: this is the same for every
    /// client, and fast.
    func text(_ characters: ClosedRange<Int>) throws(Refusal) -> String {
        let text = try string()
        // A text never has more code points than bytes, so most texts need not be counted.
        let count = text.utf8.count <= characters.upperBound ? text.utf8.count : text.unicodeScalars.count
        guard characters.contains(count) else {
            throw refusal("must be \(characters.lowerBound) to \(characters.upperBound) characters")
        }
        return text
    }

    /// The text of a message, which shows something.
    func shownText(_ characters: ClosedRange<Int>) throws(Refusal) -> String {
        let text = try text(characters)
        guard ShownText.isVisible(text) else { throw refusal(ShownText.rule) }
        return text
    }

    /// A text that is shown in one line, such as a title: it has no control characters.
    func line(_ characters: ClosedRange<Int>) throws(Refusal) -> String {
        let text = try text(characters)
        guard !text.hasControlCharacters else { throw refusal("must have no control characters") }
        return text
    }

    /// A text without spaces, for ids and tokens.
    func visibleASCII(bytesMax: Int) throws(Refusal) -> String {
        try Self.visibleASCII(string(), bytesMax: bytesMax, field: path)
    }

    /// - Parameter field: where the text comes from, for the refusal.
    static func visibleASCII(_ text: String, bytesMax: Int, field: String) throws(Refusal) -> String {
        guard Identifier.isVisibleASCII(text, bytesMax: bytesMax) else {
            throw .badRequest(field: field, "must be 1 to \(bytesMax) visible ASCII characters")
        }
        return text
    }

    func integer(_ range: ClosedRange<Int64>) throws(Refusal) -> Int64 {
        guard token.kind == .number else { throw refusal("must be a whole number") }
        guard let value = token.integer(in: bytes), range.contains(value) else {
            throw refusal("must be a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    func bool() throws(Refusal) -> Bool {
        guard token.kind == .bool else { throw refusal("must be true or false") }
        return bytes[token.range.lowerBound] == UInt8(ascii: "t")
    }

    /// The members of an object.
    func object() throws(Refusal) -> Fields {
        do throws(JSONError) {
            var reader = reader
            return try Fields(&reader, path: path)
        } catch {
            throw Refusal(error)
        }
    }

    /// An object as a tree, to be kept or checked later.
    func tree() throws(Refusal) -> JSONObject {
        do throws(JSONError) {
            guard token.kind == .object else {
                throw JSONError(reason: .wrongType(wanted: .object), offset: 0, field: path)
            }
            var reader = reader
            return try reader.value().objectValue ?? [:]
        } catch {
            throw Refusal(error)
        }
    }

    /// The elements of an array, as fields named `path.0`, `path.1` …
    func elements(_ count: ClosedRange<Int>) throws(Refusal) -> [Field] {
        guard token.kind == .array else { throw refusal("must be an array") }
        var elements: [Field] = []
        do throws(JSONError) {
            var reader = reader
            try reader.beginArray()
            while try reader.nextElement() {
                elements.append(Field(bytes: bytes, token: try reader.skip(), path: "\(path).\(elements.count)"))
            }
        } catch {
            throw Refusal(error)
        }
        guard count.contains(elements.count) else {
            throw refusal("must have \(count.lowerBound) to \(count.upperBound) elements")
        }
        return elements
    }

    /// A string of a form that `make` accepts.
    func form<Value>(_ form: String, _ make: (String) -> Value?) throws(Refusal) -> Value {
        guard let value = make(try string()) else { throw refusal("must be \(form)") }
        return value
    }
}
