import Fanout
import Model
import TestSupport
import Testing

/// The subscriptions of the hub, kept in the simplest way.
private struct HubModel {
    struct Session {
        let inbox: StreamID
        var streams: Set<StreamID>
    }

    var sessions: [Slot: Session] = [:]

    func subscribers(of stream: StreamID) -> [Slot] {
        sessions.filter { stream == .everyone || $0.value.inbox == stream || $0.value.streams.contains(stream) }
            .map(\.key).sorted()
    }
}

struct HubTests {
    private static let inboxes = (2...6).map { StreamID(stored: $0) }
    private static let topics = (100...106).map { StreamID(stored: $0) }

    @Test func `a session hears its inbox, its topics and everyone, until it is detached`() {
        let hub = Hub()
        hub.attach(7, inbox: StreamID(stored: 2), streams: [StreamID(stored: 100)])
        #expect(hub.subscribers(of: StreamID(stored: 2)).elementsEqual([7]))
        #expect(hub.subscribers(of: StreamID(stored: 100)).elementsEqual([7]))
        #expect(hub.subscribers(of: .everyone).elementsEqual([7]))
        #expect(hub.subscribers(of: StreamID(stored: 101)).isEmpty)
        hub.detach(7)
        hub.detach(7)
        #expect(hub.sessionCount == 0)
        #expect([StreamID(stored: 2), StreamID(stored: 100), .everyone].allSatisfy { hub.subscribers(of: $0).isEmpty })
    }

    @Test func `a subscription reaches every session of the user and of nobody else`() {
        let hub = Hub()
        hub.attach(1, inbox: StreamID(stored: 2), streams: [])
        hub.attach(2, inbox: StreamID(stored: 2), streams: [StreamID(stored: 100)])
        hub.attach(3, inbox: StreamID(stored: 3), streams: [])
        hub.setSubscription(of: StreamID(stored: 2), to: StreamID(stored: 100), isOn: true)
        #expect(hub.subscribers(of: StreamID(stored: 100)).sorted() == [1, 2])
        hub.setSubscription(of: StreamID(stored: 2), to: StreamID(stored: 100), isOn: false)
        #expect(hub.subscribers(of: StreamID(stored: 100)).isEmpty)
    }

    @Test func `nobody can unsubscribe from the inbox`() {
        let hub = Hub()
        hub.attach(1, inbox: StreamID(stored: 2), streams: [])
        hub.setSubscription(of: StreamID(stored: 2), to: StreamID(stored: 2), isOn: false)
        #expect(hub.subscribers(of: StreamID(stored: 2)).elementsEqual([1]))
    }

    @Test func `replacing the streams of a slot that is not attached changes nothing`() {
        let hub = Hub()
        hub.replaceStreams(of: 1, with: [StreamID(stored: 100)])
        #expect(hub.sessionCount == 0)
        #expect(hub.subscribers(of: StreamID(stored: 100)).isEmpty)
    }

    @Test(arguments: 1...20)
    func `the hub agrees with a plain model after every step`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let hub = Hub()
        var model = HubModel()
        for step in 1...400 {
            Self.change(hub, &model, &random)
            #expect(hub.sessionCount == model.sessions.count)
            for stream in [.everyone] + Self.inboxes + Self.topics {
                let found = hub.subscribers(of: stream).sorted()
                guard found == model.subscribers(of: stream) else {
                    Issue.record("seed \(seed), step \(step), stream \(stream.value): \(found)")
                    return
                }
            }
        }
    }

    private static func change(_ hub: Hub, _ model: inout HubModel, _ random: inout SeededRandom) {
        let slot = Slot.random(in: 0..<12, using: &random)
        let inbox = inboxes[Int.random(in: 0..<inboxes.count, using: &random)]
        let topic = topics[Int.random(in: 0..<topics.count, using: &random)]
        let streams = topics.filter { _ in Bool.random(using: &random) }
        switch Int.random(in: 0..<6, using: &random) {
        case 0, 1:
            guard model.sessions[slot] == nil else { return }
            hub.attach(slot, inbox: inbox, streams: streams)
            model.sessions[slot] = HubModel.Session(inbox: inbox, streams: Set(streams))
        case 2:
            hub.detach(slot)
            model.sessions[slot] = nil
        case 3:
            hub.replaceStreams(of: slot, with: streams)
            model.sessions[slot]?.streams = Set(streams)
        default:
            let isOn = Bool.random(using: &random)
            hub.setSubscription(of: inbox, to: topic, isOn: isOn)
            for (slot, session) in model.sessions where session.inbox == inbox {
                if isOn {
                    model.sessions[slot]?.streams.insert(topic)
                } else {
                    model.sessions[slot]?.streams.remove(topic)
                }
            }
        }
    }
}
