import JSON
import Testing

@testable import Session

/// The steps from a list to its next form.
@Suite struct ListChangeTests {
    private static func message(_ n: Int, _ text: String = "") -> JSONObject {
        ["chat": "alice:bob", "n": .integer(Int64(n)), "from": "bob", "text": .string(text)]
    }

    /// Applies steps as an application does.
    private static func apply(_ steps: [ListChange], to list: [JSONObject]) throws -> [JSONObject] {
        var list = list
        for step in steps {
            switch step {
            case .add(let item, let index): list.insert(item, at: index)
            case .change(let item, let index): list[index] = item
            case .remove(let item, let index):
                try #require(list[index] == item)
                list.remove(at: index)
            case .move(let item, let from, let index):
                list.remove(at: from)
                list.insert(item, at: index)
            }
        }
        return list
    }

    @Test(arguments: 0..<300 as Range<UInt64>)
    func `the steps make any list of any other, also where two items have one identity`(seed: UInt64) throws {
        var random = JitterSource(seed: seed)
        func list() -> [JSONObject] {
            (0..<Int.random(in: 0...12, using: &random)).map { _ in
                Self.message(.random(in: 1...9, using: &random), .init(Int.random(in: 1...2, using: &random)))
            }
        }
        let (before, after) = (list(), list())
        #expect(try Self.apply(ListChange.steps(from: before, to: after, user: "alice"), to: before) == after)
    }

    @Test func `many new items before and among many known ones are not looked for one by one`() throws {
        let before = (1...41_850).map { Self.message($0) }
        let after = (100_001...104_000).map { Self.message($0) } + before.dropFirst(2_000) + [Self.message(41_851)]
        let clock = ContinuousClock()
        let took = try clock.measure {
            let steps = ListChange.steps(from: before, to: after, user: "alice")
            try #require(steps.count == 6_001)
        }
        // By search it takes minutes.
        #expect(took < .seconds(20), "\(took)")
    }
}
