import JSON

/// JSON texts: an accepted text is UTF-8, is also accepted by the reader that only skips, and its encoding gives the
/// same value. A refused text is refused by both readers at a place inside of the text.
struct JSONFuzz: FuzzTarget {
    static let name = "JSON"

    init() {}

    func check(_ input: [UInt8]) throws {
        var reader = JSONReader(input)
        let skipped = Result {
            try reader.skip()
            try reader.end()
        }
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue(parsing: input)
        } catch {
            try expect((0...input.count).contains(error.offset), "an error at byte \(error.offset)")
            try expect(!error.message.isEmpty, "no message")
            if case .success = skipped, error.reason != .numberOutOfRange {
                throw Finding(description: "skipped, but refused as a value: \(error)")
            }
            return
        }
        if case .failure(let error) = skipped { throw Finding(description: "a value, but not skipped: \(error)") }
        try expect(String(validating: input, as: UTF8.self) != nil, "a text that is not UTF-8")
        let bytes = value.bytes
        try expect(try JSONValue(parsing: bytes), equals: value, "encoded and read")
        try expect(try JSONValue(parsing: bytes).bytes, equals: bytes, "encoded twice")
        _ = (value.integerValue, value.numberValue, value["a"])
    }
}
