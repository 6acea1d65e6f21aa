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
