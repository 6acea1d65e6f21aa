import JSON
import Model
import Session
import Testing

@testable import watchwise_load

/// The ledger of a storm notices each way in which a server can break its promise, and nothing else.
@Suite struct StormLedgerTests {
    private func message(_ n: Int64, _ text: String? = nil) -> ClientEvent {
        ClientEvent(
            type: "message", position: Position(n * 10), body: ["n": .integer(n), "text": .string(text ?? String(n))])
    }

    private func notice(_ title: String) -> ClientEvent {
        ClientEvent(type: "notification", position: Position(5), body: ["title": .string(title)])
    }

    private func faults(
        _ events: [ClientEvent], messages: Int64, notices: Int64
    ) -> [StormLedger.Fault: Int] {
        var ledger = StormLedger()
        for event in events { ledger.receive(event) }
        ledger.close(messages: messages, notices: notices)
        return ledger.faults
    }

    @Test func `an item that came once, in order and as it was written is no fault`() {
        let events = [message(1), notice("storm 1"), message(2), notice("alice follows you"), notice("storm 2")]
        #expect(faults(events, messages: 2, notices: 2) == [:])
    }

    @Test func `a missing item is lost, in the middle and at the end`() {
        #expect(faults([message(1), message(4)], messages: 4, notices: 0) == [.lost: 2])
        #expect(faults([message(1)], messages: 3, notices: 1) == [.lost: 3])
        #expect(faults([notice("storm 2")], messages: 0, notices: 2) == [.lost: 1])
    }

    @Test func `an item that came twice is doubled, with the same position or another`() {
        #expect(faults([message(1), message(1)], messages: 1, notices: 0) == [.doubled: 1])
        var ledger = StormLedger()
        ledger.receiveAgain()
        #expect(ledger.faults == [.doubled: 1])
    }

    @Test func `an item that was never written, or with another text, is altered`() {
        #expect(faults([message(1, "2")], messages: 1, notices: 0) == [.altered: 1])
        #expect(faults([message(1), message(2)], messages: 1, notices: 0) == [.altered: 1])
        #expect(faults([notice("storm x")], messages: 0, notices: 0) == [.altered: 1])
    }
}
