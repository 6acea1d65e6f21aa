import TestSupport
import Testing

@testable import JSON

/// The cost of working with trees from outside is proportional to their size.
@Suite struct ProportionTests {
    /// An object of this many levels; at each level, its two members are in the one or in the other order.
    private static func nested(_ levels: Int, isTurned: Bool, innermost: Int64) -> JSONValue {
        var value = JSONValue.integer(innermost)
        for _ in 0..<levels {
            value = isTurned ? ["inner": value, "a": 1] : ["a": 1, "inner": value]
        }
        return value
    }

    /// An object of this many levels, in which the deeper member comes first, and two more members after it.
    private static func nestedFirst(_ levels: Int, isTurned: Bool) -> JSONValue {
        var value: JSONValue = 1
        for _ in 0..<levels {
            value = isTurned ? ["inner": value, "b": 2, "a": 1] : ["inner": value, "a": 1, "b": 2]
        }
        return value
    }

    private static func wide(_ count: Int, value: Int64 = 1) -> JSONObject {
        JSONObject(distinct: (0..<count).map { ("name\($0)", .integer(value)) })
    }

    @Test func `comparing objects that differ deep inside does not double with each level`() {
        let cost = costOfDoubling(7) { levels in
            (0..<100).map { _ in
                (
                    Self.nested(levels, isTurned: false, innermost: 1),
                    Self.nested(levels, isTurned: true, innermost: 2)
                )
            }
        } _: { pairs in
            for (one, other) in pairs { #expect(one != other) }
        }
        #expect(cost < 4, "twice as many levels cost \(cost) times as much")
    }

    @Test func `comparing nested objects looks at each level once, where they are equal and where they are not`() {
        let different = costOfDoubling(6) { levels in
            let one = Self.nested(levels, isTurned: false, innermost: 1)
            return (one, Self.nested(levels, isTurned: false, innermost: 2))
        } _: { one, other in
            for _ in 0..<10 { #expect(one != other) }
        }
        #expect(different < 4, "twice as many levels that differ cost \(different) times as much")
        let turned = costOfDoubling(6) { levels in
            (Self.nestedFirst(levels, isTurned: false), Self.nestedFirst(levels, isTurned: true))
        } _: { one, other in
            for _ in 0..<10 { #expect(one == other) }
        }
        #expect(turned < 4, "twice as many levels in another sequence cost \(turned) times as much")
    }

    @Test func `merging costs in proportion to the members`() {
        let cost = costOfDoubling(2000) { count in
            let changes = Self.wide(count, value: 2).members.reversed()
            return (JSONValue.object(Self.wide(count)), JSONValue.object(JSONObject(distinct: Array(changes))))
        } _: { target, patch in
            let merged = target.merged(with: patch)
            #expect(merged["name0"] == 2)
        }
        #expect(cost < 2.6, "twice as many members cost \(cost) times as much")
    }

    @Test func `comparing objects in other sequences costs in proportion to their members`() {
        let cost = costOfDoubling(1000) { count in
            (Self.wide(count), JSONObject(distinct: Self.wide(count).members.reversed()))
        } _: { one, other in
            #expect(one == other)
        }
        #expect(cost < 2.6, "twice as many members cost \(cost) times as much")
    }

    @Test func `reading an object costs in proportion to its members`() throws {
        let cost = try costOfDoubling(1000) {
            JSONValue.object(Self.wide($0)).bytes
        } _: { bytes in
            let value = try JSONValue(parsing: bytes)
            #expect(!value.isNull)
        }
        #expect(cost < 2.6, "twice as many members cost \(cost) times as much")
    }
}
