import Model
import Testing
@testable import Quotas

/// The one bound on the memory that is held for peers.
struct PeerMemoryTests {
    private static let mebibyte = 1 << 20

    @Test func `a connection may hold half of the memory that the others leave`() {
        var held = HeldBytes(PeerMemory(bytesMax: 32 * Self.mebibyte))
        #expect(held.allowance == 16 * Self.mebibyte)
        held.add(16 * Self.mebibyte)
        #expect(held.allowance == 8 * Self.mebibyte)
        #expect(!held.mayHold(9 * Self.mebibyte))
        held.add(16 * Self.mebibyte - 1)
        #expect(held.allowance == 0)
        #expect(held.mayHold(Limits.smallHoldingBytes))
        held.add(8 * Self.mebibyte)
        #expect(held.mayHold(1), "a reserve for those who hold little")
        held.add(1)
        #expect(!held.mayHold(1))
    }

    @Test func `many connections of one user hold no more than the free memory, and others go on`() {
        var held = HeldBytes(PeerMemory(bytesMax: 32 * Self.mebibyte))
        let greedy = PeerShare()
        let other = PeerShare()
        var connections = 0
        while held.mayHold(100_000, of: greedy) || held.mayHold(Limits.smallHoldingBytes, of: greedy) {
            held.add(100_000)
            greedy.add(100_000)
            connections += 1
        }
        #expect((160...170).contains(connections), "half of what there is")
        #expect(held.mayHold(100_000, of: other))
        #expect(held.mayHold(1000, of: other))
    }

    @Test func `users with little have a part of the waiting work that many cannot fill`() {
        let memory = PeerMemory(bytesMax: 32 * Self.mebibyte)
        let greedy = (0..<1000).map { _ in UserAccount() }
        for account in greedy {
            while memory.mayWait(1000, for: account) { memory.wait(1000, for: account) }
        }
        // A thousand users with 16 KB each fill the reserve, too; a hundred do not.
        #expect(memory.waitingBytes > 16 * Self.mebibyte)
        #expect(memory.waitingBytes <= 20 * Self.mebibyte + 1000)
        let other = PeerMemory(bytesMax: 32 * Self.mebibyte)
        for account in (0..<100).map({ _ in UserAccount() }) {
            while other.mayWait(1000, for: account) { other.wait(1000, for: account) }
        }
        #expect(other.mayWait(1000, for: UserAccount()))
    }

    @Test func `writes that take long wait in bounds of the writer's time, and others beside them`() {
        let memory = PeerMemory(bytesMax: 32 * Self.mebibyte)
        let greedy = (0..<90).map { _ in UserAccount() }
        for account in greedy {
            for _ in 0..<100 { account.write.note(10_000) }
            #expect((9000...10_000).contains(account.write.mean))
            while memory.mayWork(account.write.mean, for: account) {
                memory.wait(microseconds: account.write.mean, for: account)
            }
        }
        #expect(memory.waitingWork > 4_900_000)
        #expect(memory.waitingWork < 6_300_000)
        let modest = UserAccount()
        for _ in 0..<20 {
            #expect(memory.mayWork(modest.write.mean, for: modest))
            memory.wait(microseconds: modest.write.mean, for: modest)
        }
    }

    @Test func `a user whose writes took very long may have one wait, which shows whether they still do`() {
        let memory = PeerMemory(bytesMax: 32 * Self.mebibyte)
        let slow = UserAccount()
        slow.write.note(10_000_000)
        #expect(memory.mayWork(slow.write.mean, for: slow))
        memory.wait(microseconds: slow.write.mean, for: slow)
        #expect(!memory.mayWork(slow.write.mean, for: slow))
        memory.wait(microseconds: -slow.write.mean, for: slow)
        #expect(memory.mayWork(slow.write.mean, for: slow))
        #expect(memory.waitingWork == 0)
    }

    @Test func `the bound holds however many take their part, and small holdings go on to the end`() {
        var held = HeldBytes(PeerMemory(bytesMax: 32 * Self.mebibyte))
        for _ in 0..<100_000 {
            let wanted = held.allowance
            if held.mayHold(wanted) { held.add(wanted) }
            #expect(held.total <= 32 * Self.mebibyte)
            if wanted < 1024 { break }
        }
        #expect(held.mayHold(1000))
    }

    @Test func `loops see what the others hold, but for a step`() {
        let memory = PeerMemory(bytesMax: 32 * Self.mebibyte)
        var first = HeldBytes(memory)
        var second = HeldBytes(memory)
        first.add(8 * Self.mebibyte)
        #expect(second.total == 8 * Self.mebibyte)
        second.add(1000)
        #expect(second.total == 8 * Self.mebibyte + 1000)
        #expect(first.total == 8 * Self.mebibyte)
        first.add(-8 * Self.mebibyte)
        second.add(-1000)
        #expect(memory.heldBytes == 0)
    }

    @Test func `an answer counts at once, and as part of the queue when the turn is over`() {
        let memory = PeerMemory(bytesMax: Self.mebibyte)
        var held = HeldBytes(memory)
        held.addAnswer(200_000)
        #expect(held.total == 200_000)
        held.turnEnded(queuedBytes: 150_000)
        #expect(held.total == 150_000)
        held.turnEnded(queuedBytes: 0)
        #expect(held.total == 0)
        #expect(memory.heldBytes == 0)
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

    @Test func `one heavy write of somebody with nothing waiting is accepted, and a second waits for the first`() {
        let memory = PeerMemory(bytesMax: 32 * Self.mebibyte)
        let account = UserAccount()
        account.write.note(80)
        #expect(memory.mayWork(40_000_000, for: account))
        memory.wait(microseconds: 100, for: account)
        #expect(!memory.mayWork(40_000_000, for: account))
        #expect(memory.mayWork(80, for: account))
    }
}
