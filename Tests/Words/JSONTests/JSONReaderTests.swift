import Testing

@testable import JSON

/// The pull parser as decoders use it.
@Suite struct JSONReaderTests {
    @Test func `members are pulled one by one and the rest skipped`() throws {
        var reader = JSONReader(Array(#" {"a":"x","skip":[{"deep":[1,2]}],"n":12,"on":true,"f":0.5,"z":null} "#.utf8))
        var seen: [String] = []
        try reader.beginObject()
        while let name = try reader.nextName() {
            switch name {
            case "a": seen.append(try reader.string())
            case "n": seen.append("\(try reader.integer())")
            case "on": seen.append("\(try reader.bool())")
            case "f": seen.append("\(try reader.number())")
            case "z":
                try reader.null()
                seen.append("null")
            default: try reader.skip()
            }
        }
        try reader.end()
        #expect(seen == ["x", "12", "true", "0.5", "null"])
    }

    @Test func `a byte order mark before a text of people is skipped, and refused elsewhere`() throws {
        #expect(try JSONValue(parsingText: Array("\u{feff}{}".utf8)) == .object([:]))
        for text in ["\u{feff}", "\u{feff}\u{feff}{}", " \u{feff}{}", "{}\u{feff}", "{\u{feff}}", ""] {
            #expect(throws: JSONError.self) { try JSONValue(parsingText: Array(text.utf8)) }
        }
        #expect(try JSONValue(parsingText: Array("\"\u{feff}\"".utf8)) == .string("\u{feff}"))
        let error = #expect(throws: JSONError.self) { try JSONValue(parsingText: Array("\u{feff}x".utf8)) }
        #expect(error?.offset == 3, "in the bytes as they came")
    }

    @Test func `a token is decoded later from the same bytes`() throws {
        let bytes = Array(#"{"text":"a\nb","data":{"k":[1,"two"]},"id":1.50}"#.utf8)
        var reader = JSONReader(bytes)
        var tokens: [String: JSONToken] = [:]
        try reader.beginObject()
        while let name = try reader.nextName() { tokens[name] = try reader.skip() }
        try reader.end()
        let text = try #require(tokens["text"])
        let data = try #require(tokens["data"])
        let id = try #require(tokens["id"])
        #expect(reader.string(at: text) == "a\nb")
        #expect(String(decoding: reader.bytes(at: id), as: UTF8.self) == "1.50")
        var inner = JSONReader(bytes, at: data, field: "data")
        #expect(try inner.value() == ["k": [1, "two"]])
        try inner.end()
    }

    @Test(arguments: [
        (#"{"a":1}"#, JSONKind.string, "a"), (#"{"a":"1"}"#, .integer, "a"), (#"{"a":1.5}"#, .integer, "a"),
        (#"{"a":"x"}"#, .number, "a"), (#"{"a":0}"#, .bool, "a"), (#"{"a":0}"#, .null, "a"),
        (#"{"a":{}}"#, .array, "a"),
        (#"{"a":[]}"#, .object, "a"),
    ])
    func `a value of another type is refused with the wanted one`(text: String, wanted: JSONKind, field: String) {
        let error = #expect(throws: JSONError.self) {
            var reader = JSONReader(Array(text.utf8))
            try reader.beginObject()
            _ = try reader.nextName()
            switch wanted {
            case .string: _ = try reader.string()
            case .integer: _ = try reader.integer()
            case .number: _ = try reader.number()
            case .bool: _ = try reader.bool()
            case .null: try reader.null()
            case .array: try reader.beginArray()
            case .object: try reader.beginObject()
            }
        }
        #expect(error?.reason == .wrongType(wanted: wanted))
        #expect(error?.field == field)
    }

    @Test func `the path of an error goes through arrays and begins with the given field`() throws {
        let bytes = Array(#"{"members":[{"name":"a"},{"name":7}]}"#.utf8)
        var reader = JSONReader(bytes)
        try reader.beginObject()
        _ = try reader.nextName()
        let token = try reader.skip()
        var inner = JSONReader(bytes, at: token, field: "members")
        let error = #expect(throws: JSONError.self) {
            try inner.beginArray()
            while try inner.nextElement() {
                try inner.beginObject()
                while try inner.nextName() != nil { _ = try inner.string() }
            }
        }
        #expect(error?.field == "members.1.name")
        #expect(error?.message == "must be a string")
    }

    @Test(arguments: [("7.0", Int64(7)), ("7e2", 700), ("-9007199254740992.0", -9_007_199_254_740_992)])
    func `a whole number may be written with a fraction or an exponent`(text: String, value: Int64) throws {
        var reader = JSONReader(Array(text.utf8))
        #expect(try reader.integer() == value)
        #expect(try JSONValue(parsing: Array(text.utf8)).integerValue == value)
    }

    @Test(arguments: ["1e300", "9007199254740994.0", "0.5"])
    func `a double that is not exactly an integer has no integer value`(text: String) throws {
        #expect(try JSONValue(parsing: Array(text.utf8)).integerValue == nil)
    }
}
