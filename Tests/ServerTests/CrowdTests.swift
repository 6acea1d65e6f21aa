import JSON
import Model
import TestSupport
import Testing

@testable import Server

/// What many sessions hear costs their loops more than its write costs the writer: that is known, and waited for.
struct CrowdTests {
    private func publication(in stream: Int64, bytes: Int) -> Publication {
        Publication(
            position: Position(1), stream: StreamID(stream),
            payload: .same([UInt8](repeating: 0x20, count: bytes - Limits.deliveryBytes)))
    }

    @Test func `what goes to a crowd costs in proportion to its sessions and bytes, what goes to few costs nothing`() {
        let crowds = Crowds()
        let bytes = 1000 * Limits.deliveredBytesPerMicrosecond
        #expect(crowds.microseconds(of: publication(in: 1, bytes: bytes)) == 0)
        crowds.note(StreamID(1), sessions: Limits.crowdSessionsMin - 1, at: 0)
        #expect(crowds.microseconds(of: publication(in: 1, bytes: bytes)) == 0)
        crowds.note(StreamID(1), sessions: 400, at: 0)
        #expect(crowds.microseconds(of: publication(in: 1, bytes: bytes)) == 400_000)
        #expect(crowds.microseconds(of: publication(in: 1, bytes: 2 * bytes)) == 800_000)
        #expect(crowds.microseconds(of: publication(in: 2, bytes: bytes)) == 0)
        // The loops deliver side by side: the one that has most decides.
        crowds.note(StreamID(1), sessions: 100, at: 1)
        #expect(crowds.microseconds(of: publication(in: 1, bytes: bytes)) == 400_000)
    }

    @Test func `a crowd that nobody has seen for some seconds is forgotten, and one that became smaller is so`() {
        let crowds = Crowds()
        let event = publication(in: 1, bytes: 1000 * Limits.deliveredBytesPerMicrosecond)
        crowds.note(StreamID(1), sessions: 400, at: 0)
        crowds.note(StreamID(1), sessions: 40, at: Limits.crowdMilliseconds)
        #expect(crowds.microseconds(of: event) == 40_000)
        crowds.forgetOld(at: 2 * Limits.crowdMilliseconds - 1)
        #expect(crowds.microseconds(of: event) == 40_000)
        crowds.forgetOld(at: 2 * Limits.crowdMilliseconds)
        #expect(crowds.microseconds(of: event) == 0)
    }

    @Test func `a heavy delivery is over when each loop has written it`() {
        let delivery = HeavyDelivery(loops: 2)
        #expect(!delivery.isDelivered)
        delivery.deliveredByOne()
        #expect(!delivery.isDelivered)
        delivery.deliveredByOne()
        #expect(delivery.isDelivered)
    }

    @Test func `pages beyond what a turn writes wait for the next, in their order`() throws {
        var late = LatePages<Int>()
        #expect(late.mayTell)
        late.told(Limits.pageBytesPerTurnMax)
        #expect(!late.mayTell)
        for slot in Int32(0)..<3 { late.append(ConnectionAddress(loop: 0, slot: slot, generation: 0), Int(slot)) }
        #expect(late.takeNext() == nil)
        late.beginTurn()
        #expect(!late.mayTell, "those who wait come first")
        #expect(late.takeNext()?.page == 0)
        #expect(late.takeNext()?.page == 1)
        late.told(Limits.pageBytesPerTurnMax)
        #expect(late.takeNext() == nil)
        late.beginTurn()
        #expect(late.takeNext()?.page == 2)
        #expect(late.isEmpty)
    }

    @Test func `while too much is held next to nothing may wait for a socket`() {
        let memory = PeerMemory(bytesMax: 1 << 20)
        var held = HeldBytes(memory)
        #expect(held.queueBytesMax == 1 << 19)
        held.add(3 << 18)
        #expect(held.queueBytesMax == 1 << 17)
        held.add(1)
        #expect(held.queueBytesMax == Limits.pressedQueueBytesMax)
    }

    @Test func `what is written to a user of many sessions reaches each of them once and in order`() throws {
        let server = try TestServer { $0.loops = 2 }
        defer { server.application.stop() }
        let (crowd, sender) = (server.name("crowd"), server.name("sender"))
        let devices = try (0..<80).map { try server.device(crowd, "d\($0)") }
        let writer = try server.device(sender)
        try writer.ok(["type": "follow", "topic": .string("user:" + crowd)])
        let texts = (0..<40).map { "m\($0)" }
        var last: Int64 = 0
        for text in texts {
            let sent = try writer.ok([
                "type": "send", "to": .string(crowd), "text": .string(text), "key": .string(text),
            ])
            last = sent["seq"]?.integerValue ?? last
        }
        for device in devices {
            try device.wait(forSeq: last)
            let heard = device.messages.filter { $0["type"] == "message" }.compactMap { $0["text"]?.stringValue }
            #expect(heard == texts)
        }
    }
}
