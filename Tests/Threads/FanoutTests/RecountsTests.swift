import Model
import Testing
@testable import Fanout

/// Counts while notifications are removed and new ones arrive.
@Suite struct RecountsTests {
    private let ada = StreamID(stored: 7), bob = StreamID(stored: 8)
    private let topic = StreamID(stored: 9), other = StreamID(stored: 10)

    private func told(_ notifications: Int64, asOf position: Int64) -> CountsSent {
        CountsSent(UnreadCounts(chats: 0, notifications: notifications), asOf: Position(position))
    }

    private func positions(_ values: Int64...) -> [Position] { values.map { Position($0) } }

    @Test func `while a recount is due nothing is added, and the last right count stays`() {
        var counts = told(10, asOf: 5)
        expect(counts.oweRecount(at: Position(6)), is: true)
        #expect(counts.isRecountOwed)
        counts.addNotification(at: Position(7))
        counts.addNotifications(at: positions(8, 9))
        #expect(counts.current.notifications == 10)
        expect(counts.takeNews() == nil, is: true)
        counts.set(UnreadCounts(chats: 0, notifications: 12), asOf: Position(9))
        #expect(!counts.isRecountOwed)
        counts.addNotifications(at: positions(8, 9, 10))
        let told = counts.takeNews()
        #expect(told == UnreadCounts(chats: 0, notifications: 13))
    }

    @Test func `counts that are of later already owe nothing, and earlier ones change nothing`() {
        var counts = told(10, asOf: 5)
        expect(counts.oweRecount(at: Position(5)), is: false)
        #expect(!counts.isRecountOwed)
        counts.set(UnreadCounts(chats: 0, notifications: 1), asOf: Position(4))
        #expect(counts.current.notifications == 10)
        var first = told(0, asOf: 0)
        expect(first.oweRecount(at: Position(1)), is: true)
        #expect(first.isRecountOwed)
        expect(first.oweRecount(at: Position(2)), is: true)
    }

    @Test func `a notification that reached a reader through another topic is not counted again`() {
        var recounts = Recounts()
        expect(recounts.want(ada, at: Position(11), head: Position(10)), is: true)
        recounts.note(
            Publication(
                position: Position(12), name: .notification, stream: StreamID(stored: 30), payload: .same([]),
                unread: .oneMore,
                reach: PublicationReach(others: [topic], told: [other])))
        #expect(recounts.count(after: Position(11), in: [topic], of: ada, zone: "UTC") == 1)
        #expect(recounts.count(after: Position(11), in: [topic, other], of: ada, zone: "UTC") == 0)
    }

    @Test func `a user is counted once at a time, and again when more was taken away after the snapshot`() {
        var recounts = Recounts()
        expect(recounts.want(ada, at: Position(11), head: Position(10)), is: true)
        for position in Int64(12)...111 {
            expect(recounts.want(ada, at: Position(position), head: Position(10)), is: false)
        }
        expect(recounts.want(bob, at: Position(11), head: Position(10)), is: true)
        #expect(!recounts.isEnough(ada, asOf: Position(110)))
        #expect(recounts.isEnough(ada, asOf: Position(111)))
        #expect(recounts.isEnough(bob, asOf: Position(11)))
        recounts.done(bob)
        #expect(!recounts.isEmpty)
        recounts.done(ada)
        #expect(recounts.isEmpty)
        #expect(!recounts.isEnough(ada, asOf: Position(200)))
    }

    @Test func `events after the snapshot are added if the user reads their streams`() {
        var recounts = Recounts()
        _ = recounts.want(ada, at: Position(11), head: Position(10))
        recounts.note(positions(12, 13), in: topic)
        recounts.note(positions(14), in: other)
        recounts.note(positions(15), in: .everyone)
        recounts.note(positions(16), in: topic)
        #expect(recounts.count(after: Position(12), in: [topic], of: ada, zone: "UTC") == 3)
        #expect(recounts.count(after: Position(12), in: [topic, other], of: ada, zone: "UTC") == 4)
        #expect(recounts.count(after: Position(15), in: [topic], of: ada, zone: "UTC") == 1)
        #expect(recounts.count(after: Position(16), in: [topic], of: ada, zone: "UTC") == 0)
        recounts.done(ada)
        _ = recounts.want(ada, at: Position(21), head: Position(20))
        #expect(recounts.count(after: Position(20), in: [topic, other], of: ada, zone: "UTC") == 0)
    }

    @Test func `the number of noted events has a bound: an older snapshot is not enough any more`() {
        var recounts = Recounts()
        _ = recounts.want(ada, at: Position(11), head: Position(10))
        let last = Int64(11 + Limits.recountNotedMax)
        for position in 12...last { recounts.note(positions(position), in: topic) }
        #expect(recounts.isEnough(ada, asOf: Position(11)))
        recounts.note(positions(last + 1), in: topic)
        #expect(!recounts.isEnough(ada, asOf: Position(last)))
        #expect(recounts.isEnough(ada, asOf: Position(last + 1)))
        #expect(recounts.count(after: Position(last + 1), in: [topic], of: ada, zone: "UTC") == 0)
    }

    @Test func `counts that could not be read are asked for again, once`() {
        var recounts = Recounts()
        _ = recounts.want(ada, at: Position(11), head: Position(10))
        recounts.failed(ada)
        recounts.failed(bob)
        let failed = recounts.takeFailed()
        #expect(failed == [ada])
        let again = recounts.takeFailed()
        #expect(again.isEmpty)
        expect(recounts.want(ada, at: Position(12), head: Position(11)), is: false)
    }

    /// Evaluates a change outside of the macro, which would copy the value.
    private func expect(_ value: Bool, is wanted: Bool) { #expect(value == wanted) }
}
