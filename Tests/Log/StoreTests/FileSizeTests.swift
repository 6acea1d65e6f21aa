import Model
import Store
import StoreTestSupport
import TestSupport
import Testing

struct FileSizeTests {
    @Test func `the file stops growing when as much is trimmed as is written`() throws {
        let folder = TemporaryFolder()
        let store = try TestStore(in: folder)
        let users = try (0..<40).map { try store.user("u\($0)") }
        let body = Array(String(repeating: "x", count: 200).utf8)
        var random = SeededRandom(seed: 7)
        var sizes: [Int] = []
        for round in 0..<24 {
            for _ in 0..<10 {
                try store.write { transaction in
                    for _ in 0..<200 {
                        let pair = (users.randomElement(using: &random), users.randomElement(using: &random))
                        try transaction.append(body, to: pair.0 ?? .everyone, and: pair.0 == pair.1 ? nil : pair.1)
                    }
                    _ = try transaction.retention.trim(upTo: Position(max(0, transaction.head.value - 8000)))
                }
            }
            guard round >= 7 else { continue }
            // The size after the next checkpoint.
            sizes.append(try store.pageCount())
        }
        let first = try #require(sizes.first)
        let last = try #require(sizes.last)
        #expect(Double(last) < 1.1 * Double(first), "\(sizes)")
    }
}
