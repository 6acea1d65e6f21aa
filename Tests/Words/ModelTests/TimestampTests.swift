import Model
import Testing

/// A generator that gives the same numbers for the same seed (SplitMix64).
private struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var value = state
        value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
        return value ^ (value >> 31)
    }
}

@Suite struct TimestampTests {
    @Test(
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("1970-01-01T00:00:00.001Z", 1), ("1969-12-31T23:59:59.999Z", -1),
            ("2026-11-21T10:00:00.123Z", 1_795_255_200_123), ("2026-11-21t10:00:00.1z", 1_795_255_200_100),
            ("2026-11-21 10:00:00.1239999Z", 1_795_255_200_123), ("2026-11-21T11:30:00+01:30", 1_795_255_200_000),
            ("2026-11-20T23:00:00-11:00", 1_795_255_200_000), ("2026-11-21T10:00:00-00:00", 1_795_255_200_000),
            ("2026-11-21", 1_795_219_200_000), ("2000-02-29", 951_782_400_000), ("1900-02-28", -2_203_977_600_000),
            ("2016-12-31T23:59:60Z", 1_483_228_799_000), ("0000-01-01T00:00:00Z", -62_167_219_200_000),
            ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
        ] as [(String, Int64)]
    )
    func `RFC 3339 is read`(text: String, milliseconds: Int64) {
        #expect(Timestamp(text)?.milliseconds == milliseconds)
    }

    @Test(arguments: [
        "", "2026", "2026-11", "2026-11-2", "2026-13-01", "2026-00-01", "2026-02-29", "1900-02-29", "2026-04-31",
        "2026-11-00",
        "2026-11-21T", "2026-11-21T10", "2026-11-21T10:00Z", "2026-11-21T10:00:00", "2026-11-21T24:00:00Z",
        "2026-11-21T10:60:00Z",
        "2026-11-21T10:00:61Z", "2026-11-21T10:00:00.Z", "2026-11-21T10:00:00,1Z", "2026-11-21T10:00:00+1:00",
        "2026-11-21T10:00:00+0100", "2026-11-21T10:00:00+24:00", "2026-11-21T10:00:00ZZ", " 2026-11-21", "2026-11-21 ",
        "+2026-11-21", "-001-01-01", "２026-11-21", "2026/11/21", "1795255200", "now",
    ])
    func `a text that is not a time is refused`(text: String) {
        #expect(Timestamp(text) == nil)
    }

    @Test func `every millisecond is written and read again`() throws {
        var random = Seeded(state: 20_261_121)
        for _ in 0..<20_000 {
            let time = Timestamp(
                milliseconds: .random(in: -62_167_219_200_000...253_402_300_799_999, using: &random)
            )
            #expect(Timestamp(time.text) == time, "\(time.milliseconds)")
            #expect(time.bytes.count == 24)
        }
    }

    @Test func `days follow each other through four centuries, forth and back`() throws {
        var previous = try #require(Timestamp("1799-12-31"))
        for year in 1800..<2200 {
            let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
            let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
            for (month, count) in days.enumerated() {
                for day in 1...count {
                    let digits = { (number: Int) in number < 10 ? "0\(number)" : "\(number)" }
                    let text = "\(year)-\(digits(month + 1))-\(digits(day))"
                    let time = try #require(Timestamp(text), "\(text)")
                    try #require(time == previous.adding(milliseconds: 86_400_000), "\(text)")
                    try #require(time.text == "\(text)T00:00:00.000Z")
                    previous = time
                }
            }
        }
    }

    @Test func `the order of texts is the order of times`() {
        var random = Seeded(state: 7)
        let times = (0..<1000).map { _ in
            Timestamp(milliseconds: .random(in: -62_167_219_200_000...253_402_300_799_999, using: &random))
        }
        #expect(times.sorted().map(\.text) == times.map(\.text).sorted())
    }

    @Test(arguments: [
        (Int64.min, "0000-01-01T00:00:00.000Z"), (-62_167_219_200_001, "0000-01-01T00:00:00.000Z"),
        (253_402_300_800_000, "9999-12-31T23:59:59.999Z"), (.max, "9999-12-31T23:59:59.999Z"),
    ])
    func `times beyond four-digit years are held at the ends`(milliseconds: Int64, text: String) {
        #expect(Timestamp(milliseconds: milliseconds).text == text)
    }

    @Test func `sums and seconds are held at the ends of the range`() {
        #expect(Timestamp(milliseconds: .max).adding(milliseconds: 1).milliseconds == .max)
        #expect(Timestamp(milliseconds: .min).adding(milliseconds: -1).milliseconds == .min)
        #expect(Timestamp(seconds: .max).milliseconds == .max)
        #expect(Timestamp(seconds: .min).milliseconds == .min)
        #expect(Timestamp(seconds: -5).milliseconds == -5000)
    }
}
