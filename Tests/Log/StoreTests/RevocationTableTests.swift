import Model
import Store
import StoreTestSupport
import Testing

struct RevocationTableTests {
    private let store: TestStore
    private let now = Timestamp(milliseconds: 1_795_000_000_000)

    init() throws { store = try TestStore() }

    private func put(_ subject: Revocation.Subject, forMilliseconds milliseconds: Int64) throws
        -> RevocationEntry
    {
        let revocation = Revocation(subject, until: now.adding(milliseconds: milliseconds))
        return try #require(
            try store.write { try $0.revocations.put(revocation, at: now, by: "operator", reason: nil) })
    }

    @Test func `revocations are listed newest first, page by page, until they are over`() throws {
        let alice = try userID("alice")
        let first = try put(.token("a"), forMilliseconds: 1000)
        let second = try put(.user(alice, issuedUpTo: now), forMilliseconds: 5000)
        let third = try put(.token("c"), forMilliseconds: 5000)
        let page = try store.read { try $0.revocations.page(before: nil, limit: 2, at: now) }
        #expect(page.map(\.id) == [third.id, second.id])
        #expect(page[1].revocation.subject == .user(alice, issuedUpTo: now))
        let rest = try store.read { try $0.revocations.page(before: second.id, limit: 2, at: now) }
        #expect(rest.map(\.id) == [first.id])
        let later = now.adding(milliseconds: 1000)
        #expect(try store.read { try $0.revocations.count(at: later) } == 2)
    }

    @Test func `to put what is there keeps its number and the wider of the two`() throws {
        let alice = try userID("alice")
        for subject in [.token("a"), .user(alice, issuedUpTo: now)] as [Revocation.Subject] {
            let first = try put(subject, forMilliseconds: 5000)
            let again = try put(subject, forMilliseconds: 1000)
            #expect(again.id == first.id)
            #expect(again.revocation == first.revocation)
        }
        let earlier = try put(.user(alice, issuedUpTo: now.adding(milliseconds: -9)), forMilliseconds: 9000)
        #expect(earlier.revocation.subject == .user(alice, issuedUpTo: now))
        #expect(earlier.revocation.until == now.adding(milliseconds: 9000))
    }

    @Test func `a number is never given twice`() throws {
        let first = try put(.token("a"), forMilliseconds: 1000)
        try store.write { try $0.revocations.delete(first.id) }
        #expect(try store.read { try $0.revocations.find(first.id) } == nil)
        #expect(try put(.token("b"), forMilliseconds: 1000).id > first.id)
    }
}
