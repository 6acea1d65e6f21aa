import Model
import Testing
import ThreadMessages
@testable import Gateway

/// The bytes of one turn for many sessions.
@Suite struct TurnLoadTests {
    @Test func `a heavy delivery is over when the turn of every loop has ended`() {
        let delivery = HeavyDelivery(loops: 2)
        let turns = [TurnLoad(), TurnLoad()]
        for turn in turns {
            turn.note(delivery)
            #expect(turn.isHeavy && !delivery.isDelivered)
            turn.end()
            #expect(!turn.isHeavy)
        }
        #expect(delivery.isDelivered)
        turns[0].end()
        #expect(delivery.isDelivered, "an end counts once")
    }

    @Test func `signals to crowds are bounded for each turn`() {
        let turn = TurnLoad()
        #expect(turn.maySignal(Limits.crowdSignalsPerTurnMax - 1))
        #expect(turn.maySignal(10))
        #expect(!turn.maySignal(1))
        turn.end()
        #expect(turn.maySignal(1))
    }
}
