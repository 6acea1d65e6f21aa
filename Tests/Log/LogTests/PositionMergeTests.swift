import Model
import Log
import TestSupport
import Testing

struct PositionMergeTests {
    @Test(arguments: 1...40)
    func `the smallest positions of all sources come in order, each once, and little more is read`(seed: UInt64) {
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
        let all = zip(sources, starts).flatMap { source, start in source.filter { $0 > start } }
        #expect(merged == Array(Set(all).sorted().prefix(limit)))
        // An entry of several sources is read in each of them.
        let taken = all.count { position in merged.last.map { position <= $0 } ?? false }
        #expect(read <= 2 * taken + sources.count)
    }

    @Test(arguments: 1...20)
    func `the greatest positions come first when that is asked for`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let sources = (0..<Int.random(in: 0...12, using: &random)).map { _ in
            Set((0..<Int.random(in: 0...300, using: &random)).map { _ in Int64.random(in: 1...900, using: &random) })
                .sorted(by: >).map(Position.init)
        }
        let limit = Int.random(in: 1...400, using: &random)
        let starts = sources.map { _ in Position(Int64.random(in: 300...1000, using: &random)) }
        let merged = PositionMerge.merge(after: starts, .descending, limit: limit) { index, before, limit in
            Array(sources[index].filter { $0 < before }.prefix(limit))
        }
        let all = zip(sources, starts).flatMap { source, start in source.filter { $0 < start } }
        #expect(merged == Array(Set(all).sorted(by: >).prefix(limit)))
    }

    @Test func `a source that begins beyond the page is not asked`() {
        var asked: Set<Int> = []
        let starts = (0..<5000).map { Position(1_000_000 - Int64($0) * 10) }
        let merged = PositionMerge.merge(after: starts, .descending, limit: 50) { index, before, limit in
            asked.insert(index)
            return (1...Int64(limit)).map { Position(before.value - $0) }
        }
        #expect(merged.count == 50)
        #expect(asked.count < 10)
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
