import Model
@testable import Push
import Store
import Testing
@testable import PushThread

struct PushLedgerTests {
    private func settlement(_ job: Int64, device: Int64 = 1) -> PushSettlement {
        var settlement = PushSettlement()
        settlement.progress = [PushSettlement.Progress(Aims.job(job), to: Aims.user(2), isEnded: true)]
        settlement.tries = [
            PushSettlement.Try(job: job, device: device, number: 1, at: Aims.now, answer: "200", .sent)
        ]
        return settlement
    }

    @Test func `a result is handed over once, and again after a while until the database shows it`() {
        var ledger = PushLedger()
        ledger.add(settlement(1))
        ledger.add(settlement(2))
        #expect(ledger.jobs == [1, 2])
        #expect(ledger.due(at: 0, repeatMilliseconds: 5_000).count == 2)
        #expect(ledger.due(at: 10, repeatMilliseconds: 5_000).isEmpty)
        ledger.settle { $0.progress[0].job == 1 }
        #expect(ledger.jobs == [2] && ledger.tries == [PushTryKey(job: 2, device: 1)])
        #expect(ledger.due(at: 5_000, repeatMilliseconds: 5_000) == [settlement(2)])
        ledger.settle { _ in true }
        #expect(ledger.isEmpty && ledger.due(at: 10_000, repeatMilliseconds: 5_000).isEmpty)
    }

    @Test func `several results are one write`() {
        let joined = PushSettlement(joining: [settlement(1), settlement(2, device: 2)])
        #expect(joined.progress.map(\.job) == [1, 2])
        #expect(joined.tries.map(\.device) == [1, 2])
    }

    @Test func `a push names what is gone, but not what it replaces itself`() {
        let key = PushTagKey([UInt8](repeating: 7, count: 32))
        let (own, other) = (key.tag(topic: "a", collapse: "1"), key.tag(topic: "a", collapse: "2"))
        let rows = PushGoneRows(
            [
                PushGoneRows.Row(id: 1, tag: other), PushGoneRows.Row(id: 2, tag: own),
                PushGoneRows.Row(id: 3, tag: nil), PushGoneRows.Row(id: 4, tag: other),
            ], beside: own)
        #expect(rows.tags == [other])
        #expect(rows.rows(namedBy: [other]) == [1, 2, 3, 4])
        // It was shortened to fit: the row waits for the next push.
        #expect(rows.rows(namedBy: []) == [2, 3])
    }
}
