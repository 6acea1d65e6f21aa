import Testing
@testable import Telemetry

struct LogLineTests {
    private func line(_ value: String) -> String {
        LogLine.text(time: "2026-11-21T10:00:00.123Z", level: .warning, event: "kicked", ["user": value, "n": "1"])
    }

    @Test func `plain values stand as they are, others in quotes`() {
        #expect(line("alice") == "time=2026-11-21T10:00:00.123Z level=warning event=kicked user=alice n=1\n")
        #expect(line("two words").contains(" user=\"two words\" n=1\n"))
        #expect(line("").contains(" user=\"\" n=1\n"))
        #expect(line("Zoë 映画").contains(" user=\"Zoë 映画\" "))
    }

    @Test(arguments: [
        ("a\nlevel=error event=forged", #"user="a\u{a}level=error event=forged" n=1"#),
        ("a\r\nb", #"user="a\u{d}\u{a}b""#),
        ("a user=root", #"user="a user=root""#),
        ("a=b", #"user="a=b""#),
        (#"a" user="root"#, #"user="a\" user=\"root""#),
        (#"a\"#, #"user="a\\" n=1"#),
        ("\u{1b}[2J", #"user="\u{1b}[2J""#),
        ("\u{9b}31m", #"user="\u{9b}31m""#),
        ("a\u{2028}b\u{85}c", #"user="a\u{2028}b\u{85}c""#),
        ("a\u{202e}b\u{200b}\u{feff}", #"user="a\u{202e}b\u{200b}\u{feff}""#),
    ])
    func `a value can neither end its line, nor add a field, nor steer a terminal`(value: String, shown: String) {
        let line = line(value)
        #expect(line.contains(" \(shown)"))
        #expect(line.split(separator: "\n").count == 1)
        #expect(line.unicodeScalars.dropLast().allSatisfy { $0.value >= 0x20 && !(0x7f...0x9f).contains($0.value) })
    }
}
