import Model
import Testing
@testable import Quotas

/// A delivery to many sessions costs their loops more than the write costs the writer; the server estimates this.
struct CrowdsTests {
    private func publication(in stream: Int64, bytes: Int) -> Publication {
        Publication(
            position: Position(1), name: .message, stream: StreamID(stored: stream),
            payload: .same([UInt8](repeating: 0x20, count: bytes - Limits.deliveryBytes)))
    }

    @Test
    func `an event to a crowd costs in proportion to its sessions and bytes, and one to few sessions costs nothing`() {
        let crowds = Crowds()
        let bytes = 1000 * Limits.deliveredBytesPerMicrosecond
        #expect(crowds.microseconds(of: publication(in: 1, bytes: bytes)) == 0)
        crowds.note(StreamID(stored: 1), sessions: Limits.crowdSessionsMin - 1, at: 0)
        #expect(crowds.microseconds(of: publication(in: 1, bytes: bytes)) == 0)
        crowds.note(StreamID(stored: 1), sessions: 400, at: 0)
        #expect(crowds.microseconds(of: publication(in: 1, bytes: bytes)) == 400_000)
        #expect(crowds.microseconds(of: publication(in: 1, bytes: 2 * bytes)) == 800_000)
        #expect(crowds.microseconds(of: publication(in: 2, bytes: bytes)) == 0)
        // The loops deliver in parallel: the one with the most sessions decides.
        crowds.note(StreamID(stored: 1), sessions: 100, at: 1)
        #expect(crowds.microseconds(of: publication(in: 1, bytes: bytes)) == 400_000)
    }

    @Test func `a text for the receivers of the one before costs its bytes alone, since each gets both in one write`() {
        let crowds = Crowds()
        crowds.note(StreamID(stored: 1), sessions: 400, at: 0)
        let event = publication(in: 1, bytes: 1000 * Limits.deliveredBytesPerMicrosecond)
        let other = publication(in: 2, bytes: 1000 * Limits.deliveredBytesPerMicrosecond)
        let saved = Int64(400 * Limits.deliveryBytes / Limits.deliveredBytesPerMicrosecond)
        func cost(_ publications: [Publication], from first: Int = 0) -> Int64 {
            crowds.microseconds(of: publications.map { .publication($0) }, from: first)
        }
        #expect(cost([event]) == 400_000)
        #expect(cost([event, event]) == 800_000 - saved)
        #expect(cost([event, event], from: 1) == 400_000 - saved)
        #expect(cost([event, other, event]) == 800_000)
        #expect(cost([other, event], from: 1) == 400_000)
    }

    @Test func `a crowd that nobody has seen for some seconds is forgotten, and one that became smaller is so`() {
        let crowds = Crowds()
        let event = publication(in: 1, bytes: 1000 * Limits.deliveredBytesPerMicrosecond)
        crowds.note(StreamID(stored: 1), sessions: 400, at: 0)
        crowds.note(StreamID(stored: 1), sessions: 40, at: Limits.crowdMilliseconds)
        #expect(crowds.microseconds(of: event) == 40_000)
        crowds.forgetOld(at: 2 * Limits.crowdMilliseconds - 1)
        #expect(crowds.microseconds(of: event) == 40_000)
        crowds.forgetOld(at: 2 * Limits.crowdMilliseconds)
        #expect(crowds.microseconds(of: event) == 0)
    }
}
