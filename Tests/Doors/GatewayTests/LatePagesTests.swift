import Model
import Testing
import ThreadMessages
@testable import Gateway

/// Pages of the log that wait for another turn of their loop.
struct LatePagesTests {
    @Test func `pages beyond what a turn writes wait for the next, in their order`() throws {
        var late = LatePages<Int>()
        #expect(late.mayWrite)
        late.wrote(Limits.pageBytesPerTurnMax)
        #expect(!late.mayWrite)
        for slot in Int32(0)..<3 { late.append(ConnectionAddress(loop: 0, slot: slot, generation: 0), Int(slot)) }
        #expect(late.takeNext() == nil)
        late.beginTurn()
        #expect(!late.mayWrite, "those who wait come first")
        #expect(late.takeNext()?.page == 0)
        #expect(late.takeNext()?.page == 1)
        late.wrote(Limits.pageBytesPerTurnMax)
        #expect(late.takeNext() == nil)
        late.beginTurn()
        #expect(late.takeNext()?.page == 2)
        #expect(late.isEmpty)
    }
}
