import Testing

@testable import JSON

/// The output of the writer, and that it is read as the same value.
@Suite struct JSONWriterTests {
    @Test(
        arguments: [
            (JSONValue.null, "null"), (true, "true"), (false, "false"), (0, "0"), (7, "7"), (-1, "-1"), (10, "10"),
            (.integer(.max), "9223372036854775807"), (.integer(.min), "-9223372036854775808"), (1.5, "1.5"),
            (-0.25, "-0.25"),
            (.number(.infinity), "null"), (.number(.nan), "null"), ("", #""""#), ("a\"\\/", #""a\"\\/""#),
            ("\u{0}\u{8}\t\n\u{b}\u{c}\r\u{1f}\u{7f}", #""\u0000\b\t\n\u000b\f\r\u001f\#u{7f}""#),
            ("é漢😀\u{2028}\u{2029}", "\"é漢😀\u{2028}\u{2029}\""), ([], "[]"), ([:], "{}"),
            ([1, [2, nil], ["a": [], "b": "c"]], #"[1,[2,null],{"a":[],"b":"c"}]"#),
            (["z": 1, "a": ["y": 2, "x": 3]], #"{"z":1,"a":{"y":2,"x":3}}"#),
        ] as [(JSONValue, String)]
    )
    func `a value is written compactly, its members in their order`(value: JSONValue, text: String) {
        #expect(value.text == text)
    }

    @Test func `members, raw values and elements get their commas`() {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("seq", 4711)
        writer.member("type", "message")
        writer.name("raw")
        writer.raw(Array("{\"x\":1}".utf8))
        writer.name("list")
        writer.beginArray()
        writer.bool(true)
        writer.null()
        writer.beginObject()
        writer.endObject()
        writer.number(0.5)
        writer.endArray()
        writer.member("on", false)
        writer.member("value", JSONValue.array([1]))
        writer.endObject()
        let text = String(decoding: writer.bytes, as: UTF8.self)
        #expect(
            text == #"{"seq":4711,"type":"message","raw":{"x":1},"list":[true,null,{},0.5],"on":false,"value":[1]}"#
        )
    }

    @Test(arguments: [Double.leastNonzeroMagnitude, 1.7976931348623157e308, 0.1, 1e21, -1e-7, 123456789.125])
    func `a double reads back exactly`(double: Double) throws {
        #expect(try JSONValue(parsing: JSONValue.number(double).bytes) == .number(double))
    }
}
