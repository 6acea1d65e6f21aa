import Fanout
import Model
import Testing

struct WatchersTests {
    @Test func `a watcher is found until the watch ends`() {
        let watchers = Watchers()
        let (one, two) = (StreamID(stored: 7), StreamID(stored: 8))
        for slot: Slot in [3, 1, 2] { watchers.add(slot, to: one) }
        watchers.add(1, to: two)
        #expect(Set(watchers.subscribers(of: one)) == [1, 2, 3])
        #expect(watchers.slots == [1, 2, 3])
        #expect(watchers.count == 4)
        watchers.remove(1, from: one)
        watchers.remove(1, from: one)
        watchers.remove(9, from: two)
        #expect(Set(watchers.subscribers(of: one)) == [2, 3])
        #expect(watchers.subscribers(of: two).elementsEqual([1]))
        watchers.remove(1, from: two)
        #expect(watchers.subscribers(of: two).isEmpty)
        #expect(watchers.slots == [2, 3])
        #expect(watchers.count == 2)
    }

    @Test func `the hub knows what a session is subscribed to`() {
        let hub = Hub()
        hub.attach(5, inbox: StreamID(stored: 10), streams: [StreamID(stored: 20)])
        #expect(hub.isSubscribed(5, to: StreamID(stored: 20)))
        #expect(hub.isSubscribed(5, to: .everyone))
        #expect(!hub.isSubscribed(5, to: StreamID(stored: 21)))
        #expect(!hub.isSubscribed(6, to: StreamID(stored: 20)))
    }

    @Test func `large steps count for more in the bound of kept steps`() {
        var recent = RecentCommits<Int>(head: .zero, stepsMax: 100)
        for head in 1...10 { recent.append([30], head: Position(Int64(head)), stepsCost: 30) }
        #expect(recent.from == Position(7))
        #expect(recent.head == Position(10))
    }
}
