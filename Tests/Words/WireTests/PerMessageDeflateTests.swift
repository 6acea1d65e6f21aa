import Testing
import Wire

@Suite struct PerMessageDeflateTests {
    private func extensions(_ line: String) throws -> [WebSocketExtension] {
        try #require(WebSocketExtension.parse(["Sec-WebSocket-Extensions": line]))
    }

    private let keeping = PerMessageDeflatePolicy(takesServerContext: true, clientContext: .unlessHinted)

    @Test(arguments: [
        ("", ""),
        ("; client_max_window_bits", ""),
        ("; client_max_window_bits=10", "; client_max_window_bits=10"),
        ("; server_max_window_bits=9", "; server_max_window_bits=9"),
        ("; server_max_window_bits=15", "; server_max_window_bits=15"),
        ("; server_no_context_takeover", "; server_no_context_takeover"),
        ("; client_no_context_takeover", "; client_no_context_takeover"),
        (
            "; client_no_context_takeover; server_max_window_bits=12; client_max_window_bits=8",
            "; client_no_context_takeover; server_max_window_bits=12; client_max_window_bits=8"
        ),
    ])
    func `an offer is answered by its own parameters`(asked: String, answered: String) throws {
        let agreement = try #require(keeping.accept(try extensions("permessage-deflate" + asked)))
        #expect(agreement.answer == "permessage-deflate" + answered)
    }

    @Test func `no context is kept unless the policy says so`() throws {
        let agreement = try #require(
            PerMessageDeflatePolicy().accept(try extensions("permessage-deflate; client_max_window_bits"))
        )
        #expect(agreement.answer == "permessage-deflate; server_no_context_takeover; client_no_context_takeover")
        #expect(agreement.serverNoContextTakeover && agreement.clientNoContextTakeover)
        #expect(agreement.serverWindowBits == 15 && agreement.clientWindowBits == 15)
    }

    @Test func `a hint of the client does not bind it, and may be passed over`() throws {
        let policy = PerMessageDeflatePolicy(takesServerContext: true, clientContext: .always)
        let agreement = try #require(policy.accept(try extensions("permessage-deflate; client_no_context_takeover")))
        #expect(agreement.answer == "permessage-deflate" && !agreement.clientNoContextTakeover)
    }

    @Test func `windows are limited where that can be said`() throws {
        var policy = keeping
        policy.windowBitsMax = 12
        let told = try #require(policy.accept(try extensions("permessage-deflate; client_max_window_bits")))
        #expect(told.answer == "permessage-deflate; server_max_window_bits=12; client_max_window_bits=12")
        let untold = try #require(policy.accept(try extensions("permessage-deflate")))
        #expect(untold.answer == "permessage-deflate; server_max_window_bits=12" && untold.clientWindowBits == 15)
        let small = try #require(
            policy.accept(try extensions("permessage-deflate; client_max_window_bits=10; server_max_window_bits=11"))
        )
        #expect(small.answer == "permessage-deflate; server_max_window_bits=11; client_max_window_bits=10")
    }

    @Test func `the first acceptable offer is taken`() throws {
        let line =
            "x-other, permessage-deflate; unknown, permessage-deflate; server_max_window_bits=8, "
            + "permessage-deflate; server_max_window_bits=10, permessage-deflate"
        let agreement = try #require(keeping.accept(try extensions(line)))
        #expect(agreement.answer == "permessage-deflate; server_max_window_bits=10")
        #expect(keeping.accept(try extensions("permessage-deflate; server_max_window_bits=8")) == nil)
        #expect(keeping.accept([]) == nil)
    }

    @Test(arguments: [
        "", "; server_no_context_takeover", "; client_no_context_takeover", "; server_max_window_bits=9",
        "; client_max_window_bits=8",
        "; server_no_context_takeover; client_no_context_takeover; server_max_window_bits=10; client_max_window_bits=15",
    ])
    func `a client takes every answer that its offer allows`(said: String) throws {
        let accepted = try extensions("permessage-deflate" + said)
        let agreement = try #require(PerMessageDeflateAgreement(accepted[0], to: PerMessageDeflateOffer()))
        #expect(agreement.serverNoContextTakeover == said.contains("server_no"))
        #expect(agreement.clientNoContextTakeover == said.contains("client_no"))
        #expect(agreement.serverWindowBits == (said.contains("bits=9") ? 9 : said.contains("bits=10") ? 10 : 15))
        #expect(agreement.clientWindowBits == (said.contains("bits=8") ? 8 : 15))
    }

    @Test func `a client refuses an answer that its offer does not allow`() throws {
        let asking = PerMessageDeflateOffer(
            serverNoContextTakeover: true,
            serverWindowBits: 12,
            clientWindow: .bits(10)
        )
        let sound = "permessage-deflate; server_no_context_takeover; server_max_window_bits=11"
        let cases: [(offer: PerMessageDeflateOffer, answer: String)] = [
            (PerMessageDeflateOffer(), "permessage-deflate; client_max_window_bits"),
            (PerMessageDeflateOffer(), "permessage-deflate; unknown"),
            (PerMessageDeflateOffer(), "permessage-deflate; server_max_window_bits=16"),
            (PerMessageDeflateOffer(clientWindow: .unmentioned), "permessage-deflate; client_max_window_bits=15"),
            (asking, "permessage-deflate; server_max_window_bits=11"),
            (asking, "permessage-deflate; server_no_context_takeover"),
            (asking, "permessage-deflate; server_no_context_takeover; server_max_window_bits=13"),
            (asking, sound + "; client_max_window_bits=11"),
        ]
        for (offer, answer) in cases {
            let accepted = try extensions(answer)
            #expect(PerMessageDeflateAgreement(accepted[0], to: offer) == nil, "\(answer)")
        }
        #expect(PerMessageDeflateAgreement(try extensions(sound)[0], to: asking) != nil)
    }

    @Test func `an offer's text is read as the offer`() throws {
        for window in [PerMessageDeflateOffer.ClientWindow.unmentioned, .negotiable, .bits(9)] {
            for bits in [nil, 8, 15] as [Int?] {
                let offer = PerMessageDeflateOffer(
                    serverNoContextTakeover: bits == nil,
                    clientNoContextTakeover: window == .negotiable,
                    serverWindowBits: bits,
                    clientWindow: window
                )
                #expect(PerMessageDeflateOffer(try extensions(offer.text)[0]) == offer)
            }
        }
    }

    @Test func `every answer of a server suits the client that offered`() throws {
        for takesServerContext in [false, true] {
            for clientContext in [PerMessageDeflatePolicy.ClientContext.none, .unlessHinted, .always] {
                for windowBitsMax in 9...15 {
                    let policy = PerMessageDeflatePolicy(
                        takesServerContext: takesServerContext,
                        clientContext: clientContext,
                        windowBitsMax: windowBitsMax
                    )
                    for offer in offers {
                        let agreed = try #require(policy.accept(try extensions(offer.text)))
                        let accepted = try extensions(agreed.answer)
                        let seen = try #require(
                            PerMessageDeflateAgreement(accepted[0], to: offer),
                            "\(offer.text) was answered by \(agreed.answer)"
                        )
                        #expect(seen.serverNoContextTakeover == agreed.serverNoContextTakeover)
                        #expect(seen.clientNoContextTakeover == agreed.clientNoContextTakeover)
                        #expect(seen.serverWindowBits == agreed.serverWindowBits)
                        #expect(seen.clientWindowBits == agreed.clientWindowBits)
                    }
                }
            }
        }
    }

    private var offers: [PerMessageDeflateOffer] {
        [false, true].flatMap { hint in
            ([nil, 9, 13, 15] as [Int?]).flatMap { bits in
                [PerMessageDeflateOffer.ClientWindow.unmentioned, .negotiable, .bits(8), .bits(15)].map { window in
                    PerMessageDeflateOffer(
                        serverNoContextTakeover: hint,
                        clientNoContextTakeover: hint,
                        serverWindowBits: bits,
                        clientWindow: window
                    )
                }
            }
        }
    }
}
