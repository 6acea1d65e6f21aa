import Testing
@testable import Configuration

/// Which pages a browser may open sessions from.
struct AllowedOriginsTests {
    @Test(
        arguments: [
            ([], "localhost", true), (["http://localhost"], "localhost", true),
            (["HTTP://LOCALHOST:8080"], "localhost:8080", true), (["https://localhost"], "localhost", true),
            (["http://localhost:8080"], "localhost", false), (["http://localhost.evil"], "localhost", false),
            (["http://evil/localhost"], "localhost", false), (["http://localhost@evil"], "localhost", false),
            (["null"], "localhost", false), ([""], "localhost", false), (["localhost"], "localhost", false),
            (["http://localhost", "http://localhost"], "localhost", false), (["http://a"], nil, false),
        ] as [([String], String?, Bool)])
    func `by default the server's own pages are admitted, and clients that are not browsers`(
        _ origins: [String], _ authority: String?, _ isAdmitted: Bool
    ) {
        #expect(AllowedOrigins().admit(origins, to: authority) == isAdmitted)
    }

    @Test func `where the server speaks TLS its own pages have the scheme https`() throws {
        let listed = try #require(AllowedOrigins(["http://a.example"]))
        #expect(listed.admit(["https://localhost"], to: "localhost", isEncrypted: true))
        #expect(!listed.admit(["http://localhost"], to: "localhost", isEncrypted: true))
        #expect(!listed.admit(["httpsx://localhost"], to: "localhost", isEncrypted: true))
        #expect(listed.admit(["http://a.example"], to: "localhost", isEncrypted: true), "named by the operator")
        #expect(listed.admit([], to: "localhost", isEncrypted: true))
    }

    @Test(
        arguments: [
            ("https://a:443", "https://a", true), ("https://a", "https://a:443", true),
            ("HTTP://A:80", "http://a", true),
            ("https://a:80", "https://a", false), ("http://a:443", "http://a", false),
            ("https://a:4430", "https://a", false),
            ("app://a:443", "app://a", false), ("https://[::1]:443", "https://[::1]", true),
        ])
    func `the default port of a scheme is the same as none in a listed origin`(
        _ listed: String, _ origin: String, _ isAdmitted: Bool
    ) throws {
        let origins = try #require(AllowedOrigins([listed]))
        #expect(origins.admit([origin], to: "x") == isAdmitted)
        #expect(origins.shared(with: [origin]) == (isAdmitted ? origin : nil), "as the browser wrote it")
    }

    @Test(
        arguments: [
            ("https://a", "a:443", true), ("https://a:443", "a", true), ("http://a", "A:80", true),
            ("https://a", "a:80", false), ("http://a", "a:443", false), ("https://a:8443", "a", false),
            ("https://[::1]", "[::1]:443", true),
        ])
    func `a proxy may add the default port of the page's scheme to Host`(
        _ origin: String, _ authority: String, _ isAdmitted: Bool
    ) {
        #expect(AllowedOrigins().admit([origin], to: authority) == isAdmitted)
    }

    @Test func `listed origins may call as well, and a star admits all`() throws {
        let listed = try #require(AllowedOrigins(["https://App.example.org", "http://b:3000"]))
        #expect(listed.admit(["https://app.example.org"], to: "x"))
        #expect(listed.admit(["http://b:3000"], to: "x"))
        #expect(listed.admit(["http://x"], to: "x"))
        #expect(!listed.admit(["http://app.example.org"], to: "x"))
        #expect(!listed.admit(["http://b"], to: "x"))
        let any = try #require(AllowedOrigins(["*"]))
        #expect(any.admit(["null"], to: "x"))
        #expect(any.admit(["https://anybody"], to: nil))
    }
}
