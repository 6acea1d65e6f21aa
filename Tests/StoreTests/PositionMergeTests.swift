import Model
import Store
import TestSupport
import Testing

struct PositionMergeTests {
    @Test(arguments: 1...40)
    func `the smallest positions of all sources come in order, and little more is read`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let sources = (0..<Int.random(in: 0...12, using: &random)).map { _ in
            let span = [5, 500, 50_000].randomElement(using: &random) ?? 5
            return (0..<Int.random(in: 0...900, using: &random))
                .map { _ in Int64.random(in: 1...Int64(span), using: &random) }
        }.map { Array(Set($0)).sorted().map(Position.init) }
        let limit = Int.random(in: 1...700, using: &random)
        let starts = sources.map { _ in Position(Int64.random(in: 0...20, using: &random)) }
        var read = 0
        let merged = PositionMerge.merge(after: starts, limit: limit) { index, after, limit in
            let found = Array(sources[index].filter { $0 > after }.prefix(limit))
            read += found.count
            return found
        }
        let expected = zip(sources, starts).flatMap { source, start in source.filter { $0 > start } }.sorted()
        #expect(merged == Array(expected.prefix(limit)))
        #expect(read <= 2 * merged.count + sources.count)
    }

    @Test func `a source that alone has something is asked few times`() {
        var asked = 0
        let merged = PositionMerge.merge(after: [.zero, .zero], limit: 200) { index, after, limit in
            asked += 1
            return index == 0 ? [] : (1...Int64(limit)).map { Position(after.value + $0) }
        }
        #expect(merged == (1...200).map(Position.init))
        #expect(asked <= 10)
    }
}
