import Testing
@testable import Model

struct RetryAfterTests {
    private let now = Timestamp(milliseconds: 1_000_000_000)

    @Test(arguments: [
        ("0", 0), ("7", 7_000), ("120", 120_000), ("99999999999999999999", Int64.max),
        ("9223372036854775807", Int64.max), ("Mon, 12 Jan 1970 13:46:50 GMT", 10_000),
        ("Mon, 12 Jan 1970 13:46:39 GMT", -1_000),
    ])
    func `seconds and dates are times to wait`(_ text: String, _ milliseconds: Int64) {
        #expect(RetryAfter.milliseconds(text, at: now) == milliseconds)
    }

    @Test(arguments: [
        "", "soon", "-1", "1.5", "+7", " 7", "Nov 12 1994", "Mon, 12 Jan 1970 13:46:50",
        "Mon, 12 Jän 1970 13:46:50 GMT",
        "Mon, 32 Jan 1970 13:46:50 GMT", "Monday, 12-Jan-70 13:46:50 GMT",
    ])
    func `other texts say nothing`(_ text: String) { #expect(RetryAfter.milliseconds(text, at: now) == nil) }
}
