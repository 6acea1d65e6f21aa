import Testing

@testable import JSON

/// Whole texts that are accepted, and refused ones with their messages.
@Suite struct JSONValueTests {
    @Test(
        arguments: [
            ("null", JSONValue.null), (" true ", true), ("false", false), ("0", 0), ("-0", 0), ("-12", -12),
            ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)), ("1.5", 1.5),
            ("1e3", 1000.0),
            ("-2.5E-1", -0.25), ("1E+2", 100.0), (#""""#, ""), (#""a\"\\\/\b\f\n\r\t""#, "a\"\\/\u{8}\u{c}\n\r\t"),
            (#""\u00e9\ud83d\ude00\u0000""#, "é😀\u{0}"), (#""é漢😀\#u{2028}""#, "é漢😀\u{2028}"), ("[]", []),
            ("[1 , [2],\n{}]", [1, [2], [:]]), (#"{"a":1,"b":{"c":[null]}}"#, ["a": 1, "b": ["c": [nil]]]),
            ("\t\r\n 7 ", 7),
        ] as [(String, JSONValue)]
    )
    func `a text is read as the value it says`(text: String, value: JSONValue) throws {
        #expect(try JSONValue(parsing: Array(text.utf8)) == value)
    }

    @Test(
        arguments: [
            ("", JSONError.Reason.unexpectedEnd, ""), ("  ", .unexpectedEnd, ""), ("nul", .unexpectedEnd, ""),
            ("nulL", .unexpectedByte(0x4c), ""), ("1 2", .trailingBytes, ""), ("{} ,", .trailingBytes, ""),
            ("[1,]", .unexpectedByte(0x5d), "1"), ("[,1]", .unexpectedByte(0x2c), "0"),
            ("[1 2]", .unexpectedByte(0x32), "0"),
            ("{\"a\":1,}", .unexpectedByte(0x7d), ""), ("{,}", .unexpectedByte(0x2c), ""),
            ("{\"a\"}", .unexpectedByte(0x7d), "a"),
            ("{\"a\":}", .unexpectedByte(0x7d), "a"), ("{a:1}", .unexpectedByte(0x61), ""), ("[", .unexpectedEnd, ""),
            ("{\"a\":1", .unexpectedEnd, ""), ("\"abc", .unexpectedEnd, ""), ("\"a\\", .unexpectedEnd, ""),
            ("{\"a\":{\"b\":01}}", .leadingZero, "a.b"), ("-01", .leadingZero, ""), ("1.", .unexpectedEnd, ""),
            ("[1.]", .invalidNumber, "0"), ("[-]", .invalidNumber, "0"), ("[1e]", .invalidNumber, "0"),
            ("-", .unexpectedEnd, ""),
            ("+1", .unexpectedByte(0x2b), ""), (".5", .unexpectedByte(0x2e), ""), ("NaN", .unexpectedByte(0x4e), ""),
            ("9223372036854775808", .numberOutOfRange, ""), ("-9223372036854775809", .numberOutOfRange, ""),
            ("{\"n\":1e400}", .numberOutOfRange, "n"), ("[0,-1e400]", .numberOutOfRange, "1"),
            ("\"\u{1}\"", .controlCharacter, ""), ("\"\n\"", .controlCharacter, ""), (#""\x""#, .invalidEscape, ""),
            (#""\u12g4""#, .invalidEscape, ""), (#""\u12"#, .invalidEscape, ""),
            (#"{"t":"\ud800"}"#, .loneSurrogate, "t"),
            (#""\udc00""#, .loneSurrogate, ""), (#""\ud800\ud800""#, .loneSurrogate, ""),
            (#""\ud800\n""#, .loneSurrogate, ""),
            (#"{"p":{"t":1,"t":2}}"#, .duplicateName, "p.t"), (#"{"a":1,"\u0061":2}"#, .duplicateName, "a"),
            ("\u{feff}1", .unexpectedByte(0xef), ""), ("// 1", .unexpectedByte(0x2f), ""),
        ] as [(String, JSONError.Reason, String)]
    )
    func `a text that breaks a rule is refused with the rule and the member`(
        text: String,
        reason: JSONError.Reason,
        field: String
    ) {
        let error = #expect(throws: JSONError.self) { try JSONValue(parsing: Array(text.utf8)) }
        #expect(error?.reason == reason)
        #expect(error?.field == field)
        #expect(error?.message.isEmpty == false)
    }

    @Test(
        arguments: [
            [0x80], [0xc0, 0x80], [0xc1, 0xbf], [0xc3], [0xe0, 0x80, 0x80], [0xe0, 0x9f, 0xbf], [0xed, 0xa0, 0x80],
            [0xe2, 0x82], [0xf0, 0x80, 0x80, 0x80], [0xf0, 0x8f, 0xbf, 0xbf], [0xf4, 0x90, 0x80, 0x80],
            [0xf5, 0x80, 0x80, 0x80],
            [0xff], [0xc3, 0x28], [0xe2, 0x28, 0xa1], [0xe2, 0x82, 0x28], [0xf0, 0x9f, 0x98, 0x28],
        ] as [[UInt8]]
    )
    func `ill-formed UTF-8 in a string is refused, never repaired`(sequence: [UInt8]) {
        let error = #expect(throws: JSONError.self) {
            try JSONValue(parsing: Array("[\"a".utf8) + sequence + Array("\"]".utf8))
        }
        #expect(error?.reason == .invalidUTF8)
        #expect(error?.field == "0")
        #expect(error?.offset == 3)
    }

    @Test func `every scalar reads back as itself`() throws {
        for first in stride(from: UInt32(0x20), to: 0x110000, by: 0x101) {
            guard let scalar = UnicodeScalar(first) else { continue }
            let value = JSONValue.string("<\(Character(scalar))>")
            #expect(try JSONValue(parsing: value.bytes) == value)
        }
    }

    @Test func `sixteen levels are read and seventeen refused`() throws {
        func nested(_ depth: Int) -> [UInt8] {
            Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
        }
        #expect(try JSONValue(parsing: nested(16)).bytes == nested(16))
        #expect(throws: JSONError.self) { try JSONValue(parsing: nested(17)) }
        #expect(try JSONValue(parsing: nested(17), depthMax: 17).bytes == nested(17))
        let error = #expect(throws: JSONError.self) {
            try JSONValue(parsing: [UInt8](repeating: UInt8(ascii: "["), count: 1_000_000), depthMax: .max)
        }
        #expect(error?.reason == .tooDeep(max: JSONReader.depthCeiling))
    }

    @Test func `duplicates are found in an object of thousands of members`() throws {
        var names = (0..<20_000).map { "\"n\($0)\":0" }
        let text = "{" + names.joined(separator: ",") + "}"
        #expect(try JSONValue(parsing: Array(text.utf8)).objectValue?.count == 20_000)
        names.append(#""n\u00317":1"#)
        let doubled = "{" + names.joined(separator: ",") + "}"
        let error = #expect(throws: JSONError.self) { try JSONValue(parsing: Array(doubled.utf8)) }
        #expect(error?.reason == .duplicateName)
        #expect(error?.field == "n17")
    }

    @Test func `names of many members that only look the same are different`() throws {
        let names = (0..<40).map { "\"n\($0)\":0" } + ["\"\u{e9}\":1", "\"e\u{301}\":2", "\"\":3"]
        let object = try #require(try JSONValue(parsing: Array("{\(names.joined(separator: ","))}".utf8)).objectValue)
        #expect(object.count == 43)
        let merged = JSONValue.object(object).merged(with: .object(JSONObject(distinct: object.members.reversed())))
        #expect(merged == .object(object))
    }

    @Test func `a text cut anywhere is refused`() throws {
        let whole = Array(#"{"a":[1,-2.5e3,"é\ud83d\ude00\n"],"b":{"c":true,"d":null}}"#.utf8)
        #expect(try JSONValue(parsing: whole).objectValue?.count == 2)
        for length in 0..<whole.count {
            #expect(throws: JSONError.self) { try JSONValue(parsing: Array(whole[..<length])) }
        }
    }

    @Test func `any byte changed in a text is either read or refused`() throws {
        let whole = Array(#"{"a":[1,-2.5e3,"é\ud83d\ude00\n"],"b":{"c":true}}"#.utf8)
        for place in whole.indices {
            for byte in UInt8.min...UInt8.max {
                var changed = whole
                changed[place] = byte
                guard let value = try? JSONValue(parsing: changed) else { continue }
                #expect(try JSONValue(parsing: value.bytes) == value)
            }
        }
    }

    @Test func `a long name is shortened in the error`() {
        let name = String(repeating: "x", count: 10_000)
        let error = #expect(throws: JSONError.self) { try JSONValue(parsing: Array("{\"\(name)\":tru}".utf8)) }
        #expect(error?.field == String(repeating: "x", count: 200) + "…")
    }
}
