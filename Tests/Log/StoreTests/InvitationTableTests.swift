import Model
import Store
import StoreTestSupport
import TestSupport
import Testing

struct InvitationTableTests {
    private let alice = StreamID(stored: 1)
    private let bob = StreamID(stored: 2)
    private let carol = StreamID(stored: 3)

    private func time(_ milliseconds: Int64) -> Timestamp { Timestamp(milliseconds: milliseconds) }

    @Test func `one row for a person in a room: an invitation, or a no`() throws {
        let store = try TestStore()
        try store.write { transaction in
            let table = transaction.invitations
            try table.put(InvitationEntry(chat: 7, user: bob, inviter: alice, at: time(10)))
            try table.put(InvitationEntry(chat: 7, user: carol, inviter: alice, at: time(11)))
            try table.put(InvitationEntry(chat: 8, user: bob, inviter: carol, at: time(12)))
        }
        #expect(try store.read { try $0.invitations.find(bob, in: 7)?.inviter } == alice)
        #expect(try store.read { try $0.invitations.count(of: bob, since: time(9)) } == 2)
        #expect(try store.read { try $0.invitations.count(of: bob, since: time(10)) } == 1)
        #expect(try store.read { try $0.invitations.count(of: bob, by: alice, since: time(9)) } == 1)
        #expect(try store.read { try $0.invitations.count(by: alice, since: time(9)) } == 2)
        #expect(try store.read { try $0.invitations.count(in: 7, since: time(10)) } == 1)
        #expect(try store.read { try $0.invitations.all(in: 7).map(\.user) } == [bob, carol])
        #expect(try store.read { try $0.invitations.all(by: alice, limit: 9).map(\.user) } == [carol, bob])
        #expect(try store.read { try $0.invitations.all(by: alice, to: bob, limit: 9).map(\.chat) } == [7])
        try store.write { try $0.invitations.put(InvitationEntry(chat: 7, user: bob, inviter: nil, at: time(20))) }
        #expect(try store.read { try $0.invitations.find(bob, in: 7) }?.inviter == nil)
        #expect(try store.read { try $0.invitations.count(of: bob, since: time(0)) } == 1, "a no is no invitation")
        #expect(try store.read { try $0.invitations.all(in: 7).map(\.user) } == [carol])
    }

    @Test func `expired invitations of a person go, and nothing else`() throws {
        let store = try TestStore()
        try store.write { transaction in
            let table = transaction.invitations
            try table.put(InvitationEntry(chat: 7, user: bob, inviter: alice, at: time(10)))
            try table.put(InvitationEntry(chat: 8, user: bob, inviter: alice, at: time(11)))
            try table.put(InvitationEntry(chat: 9, user: bob, inviter: nil, at: time(5)))
            try table.put(InvitationEntry(chat: 7, user: carol, inviter: alice, at: time(5)))
            try table.deleteExpired(of: bob, upTo: time(10))
        }
        let left = try store.read { transaction in
            try [7, 8, 9].map { try transaction.invitations.find(bob, in: $0)?.at }
        }
        #expect(left == [nil, time(11), time(5)])
        #expect(try store.read { try $0.invitations.find(carol, in: 7) } != nil)
        #expect(try store.write { try $0.invitations.deleteExpired(upTo: time(11), limit: 1) } == 1, "the oldest first")
        #expect(try store.read { try $0.invitations.find(carol, in: 7) } == nil)
        #expect(try store.write { try $0.invitations.deleteExpired(upTo: time(10), limit: 9) } == 0, "a no stays")
        #expect(try store.read { try !$0.invitations.concern(7) && $0.invitations.concern(8) })
    }
}
