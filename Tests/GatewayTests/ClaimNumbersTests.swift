import Testing
@testable import Gateway

/// Sessions are numbered over all loops.
@Suite struct ClaimNumbersTests {
    @Test func `no number is given twice, and each loop's numbers rise`() async {
        let numbers = ClaimNumbers()
        let all = await withTaskGroup(of: [Int64].self) { group in
            for _ in 0..<4 { group.addTask { (0..<5000).map { _ in numbers.next() } } }
            return await group.reduce(into: [[Int64]]()) { $0.append($1) }
        }
        for one in all { #expect(zip(one, one.dropFirst()).allSatisfy { $0 < $1 }) }
        #expect(Set(all.joined()).count == 20_000)
    }
}
