import Testing

@testable import JSON

/// Objects as ordered lists of members that are equal as sets.
@Suite struct JSONObjectTests {
    @Test func `setting keeps the place, appends or removes`() {
        var value: JSONValue = ["a": 1, "b": 2]
        value["a"] = 3
        value["c"] = [true]
        value["b"] = nil
        value["absent"] = nil
        #expect(value.text == #"{"a":3,"c":[true]}"#)
        #expect(value["c"]?.arrayValue == [true])
        #expect(value["b"] == nil)
        #expect(JSONValue.integer(1)["a"] == nil)
    }

    @Test func `setting a member of a value that is not an object makes one`() {
        var value: JSONValue = nil
        value["a"] = nil
        #expect(value.text == "{}")
        value["a"] = "x"
        #expect(value.text == #"{"a":"x"}"#)
    }

    @Test func `objects are equal in whatever order, and hash the same`() {
        let one: JSONValue = ["a": 1, "b": ["x": nil, "y": 2]]
        let other: JSONValue = ["b": ["y": 2, "x": nil], "a": 1]
        #expect(one == other)
        #expect(one.hashValue == other.hashValue)
        #expect(one != ["a": 1, "b": ["x": nil, "y": 3]])
        #expect(one != ["a": 1])
    }

    @Test func `names are compared by code points, so that two spellings of a letter are two names`() throws {
        let value = try JSONValue(parsing: Array("{\"\u{e9}\":1,\"e\u{301}\":2}".utf8))
        #expect(value["\u{e9}"] == 1)
        #expect(value["e\u{301}"] == 2)
        #expect(value.objectValue?.count == 2)
    }

    @Test func `a name given twice in code keeps the last value`() {
        #expect(JSONValue.object(["a": 1, "b": 2, "a": 3]).text == #"{"a":3,"b":2}"#)
    }

    @Test func `the views of a value are nil for the others`() {
        let values: [JSONValue] = [nil, true, 1, 1.5, "s", [], [:]]
        #expect(values.map { $0.isNull } == [true, false, false, false, false, false, false])
        #expect(values.map { $0.boolValue } == [nil, true, nil, nil, nil, nil, nil])
        #expect(values.map { $0.integerValue } == [nil, nil, 1, nil, nil, nil, nil])
        #expect(values.map { $0.numberValue } == [nil, nil, 1, 1.5, nil, nil, nil])
        #expect(values.map { $0.stringValue } == [nil, nil, nil, nil, "s", nil, nil])
        #expect(values.map { $0.arrayValue } == [nil, nil, nil, nil, nil, [], nil])
        #expect(values.map { $0.objectValue } == [nil, nil, nil, nil, nil, nil, JSONObject()])
    }
}
