import Model
import Store
import StoreTestSupport
import Testing

struct AuditTableTests {
    private let store: TestStore
    private let now = Timestamp(milliseconds: 1_795_000_000_000)

    init() throws { store = try TestStore() }

    private func add(_ actor: String, _ action: String = "user.kick", _ target: String = "users/bob", day: Int64 = 0)
        throws
    {
        let note = AuditNote(
            .operator, actor: actor, tokenID: nil, address: "192.0.2.1", request: "r1", action: action, target: target,
            detail: nil)
        try store.write {
            try $0.audit.insert(note, at: now.adding(milliseconds: day * 86_400_000), .refused("forbidden"))
        }
    }

    private func page(
        _ filter: AuditFilter = AuditFilter(), before: Int64? = nil, limit: Int = 10, looked: Int = 100
    ) throws -> (ids: [Int64], next: Int64?) {
        let page = try store.read { try $0.audit.page(filter, before: before, limit: limit, looked: looked) }
        return (page.entries.map(\.id), page.next)
    }

    @Test func `rows come newest first, filtered, page by page`() throws {
        for (actor, action) in [("ann", "a"), ("ben", "b"), ("ann", "b"), ("ann", "a"), ("ben", "a")] {
            try add(actor, action)
        }
        #expect(try page().ids == [5, 4, 3, 2, 1])
        #expect(try page().next == nil)
        let first = try page(limit: 2)
        #expect(first.ids == [5, 4] && first.next == 4)
        #expect(try page(before: 4, limit: 3).ids == [3, 2, 1])
        #expect(try page(before: 4, limit: 3).next == nil)
        #expect(try page(AuditFilter(actor: "ann")).ids == [4, 3, 1])
        #expect(try page(AuditFilter(actor: "ann", action: "a")).ids == [4, 1])
        #expect(try page(AuditFilter(target: "users/alice")).ids.isEmpty)
    }

    @Test func `a page that looks at few rows ends early, and the next one goes on`() throws {
        try add("ann")
        for _ in 0..<6 { try add("ben") }
        let filter = AuditFilter(actor: "ann")
        let first = try page(filter, looked: 4)
        #expect(first.ids.isEmpty && first.next == 4)
        let second = try page(filter, before: 4, looked: 4)
        #expect(second.ids == [1] && second.next == nil)
    }

    @Test func `old rows go, some at a time, and the newest stays`() throws {
        for day: Int64 in 1...5 { try add("ann", day: day) }
        let later = now.adding(milliseconds: 4 * 86_400_000)
        #expect(try store.write { try $0.audit.deleteOlder(than: later, limit: 2) } == 2)
        #expect(try page().ids == [5, 4, 3])
        #expect(try store.write { try $0.audit.deleteOlder(than: later, limit: 2) } == 1)
        #expect(try store.write { try $0.audit.deleteOlder(than: later, limit: 2) } == 0)
        let end = now.adding(milliseconds: 90 * 86_400_000)
        #expect(try store.write { try $0.audit.deleteOlder(than: end, limit: 10) } == 1)
        #expect(try page().ids == [5])
    }

    @Test func `a row says who sent the request, and one of an earlier version does not`() throws {
        for kind in ActorKind.allCases.map(Optional.some) + [nil] {
            let note = AuditNote(
                kind, actor: "a", tokenID: nil, address: "", request: "", action: "a", target: "t", detail: nil)
            try store.write { try $0.audit.insert(note, at: now, .done) }
            let newest = try store.read {
                try $0.audit.page(AuditFilter(), before: nil, limit: 1, looked: 1).entries.first
            }
            #expect(newest?.note.kind == kind)
        }
    }

    @Test func `a detail is at most 4 KiB`() {
        func note(_ count: Int) -> AuditNote {
            AuditNote(
                nil, actor: "a", tokenID: nil, address: "", request: "", action: "a", target: "t",
                detail: String(repeating: "x", count: count))
        }
        #expect(note(AuditNote.detailBytesMax).detail != nil)
        #expect(note(AuditNote.detailBytesMax + 1).detail == nil)
    }
}
