import Digits
import Testing

@Suite struct PercentEncodingTests {
    @Test(arguments: [
        ("", ""), ("azAZ09-._~", "azAZ09-._~"), ("a b/c", "a%20b%2Fc"), ("é", "%C3%A9"), ("100%", "100%25"),
        ("\0\u{f}", "%00%0F"), ("+&=?#", "%2B%26%3D%3F%23"),
    ])
    func `only unreserved characters stay as they are`(text: String, encoded: String) {
        #expect(PercentEncoding.encode(text) == encoded)
    }

    @Test func `further characters may stay`() {
        #expect(PercentEncoding.encode("user:anna/é", keeping: "/:") == "user:anna/%C3%A9")
    }
}
