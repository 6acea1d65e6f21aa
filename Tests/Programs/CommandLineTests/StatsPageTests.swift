import JSON
import Testing

@testable import watchwise

@Suite struct StatsPageTests {
    private static let retention: JSONValue = [
        "kept": "400d", "oldest": "2026-11-28T17:25:06.172Z", "lastRun": "2026-11-28T17:25:06.172Z",
        "removed": 999_999_999_999,
    ]

    private static func answer(_ commits: Int64) -> JSONValue {
        [
            "server": "watchwise/0.1.0", "pid": 23370, "epoch": "e-776d3a86c829eb29",
            "ready":
                "the disk is full: writes are refused until there is room again, and everything that only reads goes on",
            "users": 0, "commits_total": .integer(commits),
            "webhook_answer_milliseconds_total": .integer(.max - 1 + commits / 9),
            "held_bytes": 1_610_612, "sessions": 0, "invented_total": 3,
            "unknown": [
                "role": "later", "address": .string("http://" + String(repeating: "a", count: 100) + ".example:8080"),
                "inside": ["state": "refused", "reason": "a later program says more"],
            ],
            "retention": ["notifications": retention, "log": ["kept": "forever", "oldest": .null, "removed": 0]],
        ]
    }

    @Test func `no line is wider than 80 columns, whatever the values are`() {
        let lines = StatsPage(Self.answer(9), before: Self.answer(1)).lines
        #expect(lines.filter { $0.count > 80 } == [])
        #expect(lines.contains { $0.hasPrefix("  notifications  400d") })
        #expect(lines.contains { $0.contains("inside.reason") && $0.hasSuffix("a later program says more") })
    }

    @Test func `figures stand in groups, with their change, sizes with their unit, and zeros are left out`() {
        let lines = StatsPage(Self.answer(9), before: Self.answer(1)).lines
        #expect(lines.contains { $0.hasPrefix("  commits_total ") && $0.hasSuffix(" 9  +8") })
        #expect(lines.contains { $0.hasPrefix("  held_bytes ") && $0.hasSuffix(" 1.5 MiB") })
        #expect(lines.contains { $0.hasPrefix("  users ") && $0.hasSuffix(" 0") })
        #expect(!lines.contains { $0.contains("sessions ") })
        #expect(lines.firstIndex(of: "WRITES") != nil && lines.firstIndex(of: "SESSIONS") == nil)
        #expect(lines.last == "1 figure is 0 and left out; --json has all")
        #expect(lines.contains("OTHERS"))
    }

    @Test(arguments: [(0, "0 B"), (1023, "1,023 B"), (1024, "1.0 KiB"), (1_610_612, "1.5 MiB"), (1 << 41, "2.0 TiB")])
    func `a size has the unit that makes it short`(_ bytes: Int64, _ text: String) {
        #expect(bytes.inBytes == text)
    }
}
