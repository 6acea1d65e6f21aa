import Wire

/// `Sec-WebSocket-Extensions`: the answer to an accepted offer is within the offer, and the client that made the offer
/// accepts it.
struct ExtensionFuzz: FuzzTarget {
    static let name = "Extension"

    init() {}

    func check(_ input: [UInt8]) throws {
        var headers = HTTPHeaders()
        for line in lines(input, atMost: 3) { headers.append("Sec-WebSocket-Extensions", line) }
        guard let offered = WebSocketExtension.parse(headers) else { return }
        let policies = [
            PerMessageDeflatePolicy(), PerMessageDeflatePolicy(windowBitsMax: 9),
            PerMessageDeflatePolicy(takesServerContext: true, clientContext: .always, windowBitsMax: 12),
        ]
        for policy in policies {
            guard let agreement = policy.accept(offered) else { continue }
            try expect((8...15).contains(agreement.clientWindowBits), "client window \(agreement.clientWindowBits)")
            try expect((8...15).contains(agreement.serverWindowBits), "server window \(agreement.serverWindowBits)")
            let answered = WebSocketExtension.parse(["Sec-WebSocket-Extensions": agreement.answer])
            let answer = try unwrap(answered?.first, "the answer '\(agreement.answer)' cannot be read")
            let takers = offered.compactMap { PerMessageDeflateOffer($0) }
                .compactMap { PerMessageDeflateAgreement(answer, to: $0) }
            try expect(!takers.isEmpty, "no offer of '\(offered)' takes the answer '\(agreement.answer)'")
        }
    }
}
