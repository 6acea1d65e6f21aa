import Model
import Testing
@testable import Quotas

/// How fast one session may send.
@Suite struct CommandPaceTests {
    @Test func `a burst comes at once, then the refusal says how long to wait`() throws {
        var pace = CommandPace(at: 1000)
        for _ in 0..<Limits.commandsBurst { #expect(pace.take(at: 1000) == nil) }
        let refused = pace.take(at: 1000)
        let wait = try #require(refused)
        #expect(pace.take(at: 1000 + wait) == nil)
    }

    @Test func `the bucket fills again at the rate, and never beyond the burst`() {
        var pace = CommandPace(at: 0)
        for _ in 0..<Limits.commandsBurst { _ = pace.take(at: 0) }
        let taken = (0..<Limits.commandsBurst).prefix { _ in pace.take(at: 100) == nil }.count
        #expect(taken == Limits.commandsPerSecond / 10)
        let later = (0..<Limits.commandsBurst * 2).prefix { _ in pace.take(at: 1_000_000) == nil }.count
        #expect(later == Limits.commandsBurst)
    }

    @Test func `a heavy command takes its weight, and its refusal takes one`() {
        var pace = CommandPace(at: 0)
        #expect(pace.take(Limits.commandsBurst - 1, at: 0) == nil)
        #expect(pace.take(2, at: 0) != nil)
        #expect(pace.take(at: 0) != nil, "the refusal took the last one")
    }

    @Test func `after the wait the whole message may come, its bytes and its command`() {
        var pace = CommandPace(at: 0)
        #expect(pace.take(Limits.commandsBurst, at: 0) == nil)
        var now: Int64 = 0
        for _ in 0..<3 {
            #expect(pace.take(16, refused: 16, at: now) != nil)
            now += pace.wait(for: 21)
            #expect(pace.take(16, refused: 16, at: now) == nil)
            #expect(pace.take(5, at: now) == nil)
            #expect(pace.take(1, at: now) != nil, "no longer than needed")
        }
    }

    @Test func `frames that are not commands may overdraw, until the client counts as one that does not wait`() {
        var pace = CommandPace(at: 0)
        pace.takeFrames(Limits.commandsBurst + Limits.commandsOverdraft, at: 0)
        #expect(!pace.isFlooded)
        pace.takeFrames(1, at: 0)
        #expect(pace.isFlooded)
        pace.takeFrames(1_000_000_000, at: 0)
        #expect(pace.isFlooded, "a count beyond 32 bits does not turn round")
    }

    @Test func `the clock's lower half may turn round between two commands`() {
        var pace = CommandPace(at: 0xffff_fff0)
        for _ in 0..<Limits.commandsBurst { _ = pace.take(at: 0xffff_fff0) }
        #expect(pace.take(at: 0x1_0000_000f) == nil)
    }
}
