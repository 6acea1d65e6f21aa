import ClientProtocol
import Execution
import Model
import Testing
@testable import Gateway

/// Answers that wait for the events before them.
@Suite struct HeldAnswersTests {
    @Test func `answers wait in the order of their positions, and their bytes are counted`() {
        let held = HeldAnswers()
        for position in [20, 21, 30] as [Int64] {
            held.append(
                HeldAnswers.Answer(id: nil, outcome: .success(EncodedAnswer([1, 2, 3])), position: Position(position)))
        }
        #expect(held.bytes == 9)
        #expect(held.takeFirst(before: Position(20))?.position == nil)
        #expect(held.takeFirst(before: Position(22))?.position == Position(20))
        #expect(held.takeFirst(before: Position(22))?.position == Position(21))
        #expect(held.takeFirst(before: Position(22))?.position == nil)
        #expect(held.bytes == 3)
        #expect(held.takeFirst(before: Position(31))?.position == Position(30))
        #expect(held.isEmpty && held.bytes == 0)
    }
}
