import Crypto
import TestSupport
import Testing

@Suite(.enabled(if: Certificates.made != nil, Comment(rawValue: Certificates.isMissing)))
struct TLSTrustTests {
    private let certificates: Certificates

    init() throws {
        certificates = try #require(Certificates.made)
    }

    @Test(arguments: TLSVersion.allCases, ["localhost", "LOCALHOST", "localhost.", "127.0.0.1"])
    func `a name or address in the certificate is accepted`(version: TLSVersion, host: String) throws {
        var pair = try EnginePair(certificates.server(), certificates.client(newest: version), host: host)
        pair.run()
        #expect(pair.isOpen)
        #expect(pair.server.serverName == (host == "127.0.0.1" ? nil : host.hasSuffix(".") ? "localhost" : host))
    }

    @Test(arguments: [
        ("ec", "example.org", 62), ("ec", "127.0.0.2", 64), ("ec", "localhost.example.org", 62), ("ec", "::1", 64),
        ("expired", "localhost", 10), ("stranger", "localhost", 18),
    ])
    func `a server that the certificate does not name, or that no authority vouches for, is refused`(
        name: String,
        host: String,
        code: Int
    ) throws {
        for version in TLSVersion.allCases {
            var pair = try EnginePair(certificates.server(name), certificates.client(newest: version), host: host)
            pair.run()
            #expect(pair.client.state == .failed(.certificateRefused(code: code)))
            guard case .failed(.protocol) = pair.server.state else {
                Issue.record("\(pair.server.state)")
                continue
            }
            var careless = try EnginePair(certificates.server(name), TLSContext(trust: .anyone), host: host)
            careless.run()
            #expect(careless.isOpen)
        }
    }

    @Test func `the system does not vouch for an authority made here`() throws {
        var pair = try EnginePair(certificates.server("chain"), TLSContext(trust: .system))
        pair.run()
        #expect(pair.client.state == .failed(.certificateRefused(code: 19)))
        #expect(
            TLSFailure.certificateRefused(code: 19).description
                == "the certificate is not accepted: self-signed certificate in certificate chain"
        )
    }

    @Test(arguments: TLSVersion.allCases)
    func `a session is resumed, also after a reload and two turns of the keys`(version: TLSVersion) throws {
        let keys = try TLSTicketKeys()
        let client = try certificates.client(newest: version)
        var first = try EnginePair(certificates.server(ticketKeys: keys), client)
        first.run()
        let session = try #require(first.client.session)
        // Another context with another certificate, and the same keys.
        let reloaded = try certificates.server("rsa", ticketKeys: keys)
        for turn in 0...3 {
            var next = try EnginePair(reloaded, client, resuming: session)
            next.run()
            #expect(next.isOpen)
            #expect(next.server.isResumed == (turn <= 2), "turn \(turn)")
            #expect(next.client.isResumed == (turn <= 2), "turn \(turn)")
            _ = [1, 2, 3].withRawSpan { next.client.write($0) }
            next.run()
            #expect(next.atServer == [1, 2, 3])
            try keys.rotate()
        }
        var elsewhere = try EnginePair(certificates.server(), client, resuming: session)
        elsewhere.run()
        #expect(elsewhere.isOpen)
        #expect(!elsewhere.client.isResumed)
    }
}
