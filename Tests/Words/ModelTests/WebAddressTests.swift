import Testing
@testable import Model

struct WebAddressTests {
    @Test(arguments: [
        ("https://push.example.org/send/1?a=b", "https://push.example.org"),
        ("HTTPS://Push.Example.ORG:443", "https://push.example.org"),
        ("https://push.example.org:8443/x", "https://push.example.org:8443"),
        ("http://127.0.0.1:80/", "http://127.0.0.1"), ("http://localhost:443/", "http://localhost:443"),
        ("https://[2001:DB8::1]:8443/x", "https://[2001:db8::1]:8443"), ("https://[::1]", "https://[::1]"),
        ("https://a_b-c.example?x=//y@z", "https://a_b-c.example"),
    ])
    func `an origin has the port only if it is not the usual one`(_ text: String, _ origin: String) {
        #expect(WebAddress(text)?.origin == origin)
        #expect(WebAddress(text)?.text == text)
    }

    @Test(arguments: [
        ("https://push.example.org/", true), ("http://push.example.org/", false), ("http://localhost:8090/x", true),
        ("http://127.0.0.1", true), ("http://127.9.9.9:1", true), ("http://[::1]:1", true), ("http://10.0.0.1", false),
        ("http://[2001:db8::1]", false), ("http://localhost.example.org", false),
    ])
    func `a secret goes over TLS, or stays on this machine`(_ text: String, _ isFit: Bool) {
        #expect(WebAddress(text)?.isFitForSecrets == isFit)
    }

    @Test(arguments: [
        "", "https://", "https:///x", "https://:443/", "ftp://example.org", "//example.org", "example.org",
        "javascript:alert(1)", "https://alice@example.org/", "https://alice:x@example.org/", "https://example.org/#x",
        "https://example.org:0/", "https://example.org:65536/", "https://example.org:/", "https://example.org:+443/",
        "https://example.org:8x/",
        "https://exa mple.org/", "https://example.org/\n", "https://exämple.org/", "https://example.org\\@evil.org/",
        "https://[::1/", "https://[]/", "https://[::1]x/", "https://[g::1]/", "https://[1.2.3.4]/", "https://a\"b/",
    ])
    func `other texts are no addresses`(_ text: String) { #expect(WebAddress(text) == nil) }
}
