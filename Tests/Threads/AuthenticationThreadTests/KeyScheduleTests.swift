import Configuration
import Model
import Testing
@testable import AuthenticationThread

/// When the keys of issuers are fetched.
struct KeyScheduleTests {
    private var random = SystemRandomNumberGenerator()

    @Test mutating func `failures in a row wait longer and longer, up to a bound`() {
        var schedule = KeySchedule(KeyPace(), at: 0)
        for (number, longest) in [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000, 256_000].enumerated() {
            schedule.begin(at: 0)
            schedule.failed(at: 0, using: &random)
            #expect((Int64(longest / 2)...Int64(longest)).contains(schedule.dueAt), "failure \(number)")
        }
        for _ in 0..<100 {
            schedule.begin(at: 0)
            schedule.failed(at: 0, using: &random)
            #expect((150_000...300_000).contains(schedule.dueAt))
        }
        schedule.succeeded(at: 0, fresh: 60_000)
        schedule.failed(at: 0, using: &random)
        #expect(schedule.dueAt <= 1_000)
    }

    @Test func `one fetch at a time, the next when the keys no longer hold`() {
        var schedule = KeySchedule(KeyPace(), at: 100)
        #expect(schedule.isDue(at: 100))
        schedule.begin(at: 100)
        #expect(!schedule.isDue(at: .max))
        schedule.succeeded(at: 150, fresh: 60_000)
        #expect(!schedule.isDue(at: 60_149))
        #expect(schedule.isDue(at: 60_150))
    }

    @Test func `unknown keys bring a fetch forward, but not closer than ten seconds to the last`() {
        var schedule = KeySchedule(KeyPace(), at: 0)
        schedule.begin(at: 0)
        schedule.wanted(at: 10)
        schedule.succeeded(at: 100, fresh: 3_600_000)
        #expect(schedule.dueAt == 3_600_100)
        for moment: Int64 in [200, 5_000, 9_999] {
            schedule.wanted(at: moment)
            #expect(schedule.dueAt == 10_000)
        }
        schedule.begin(at: 10_000)
        schedule.succeeded(at: 10_050, fresh: 3_600_000)
        schedule.wanted(at: 500_000)
        #expect(schedule.isDue(at: 500_000))
        schedule.hurry(at: 0)
        #expect(schedule.isDue(at: 0))
    }
}
