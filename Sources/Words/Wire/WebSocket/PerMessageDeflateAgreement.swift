/// The agreement of both sides about `permessage-deflate` (RFC 7692 section 7.1).
///
/// - Confinement: any
package struct PerMessageDeflateAgreement: Sendable, Hashable {
    /// The server forgets its window after each message, so that one compressed message suits any number of
    /// connections.
    package let serverNoContextTakeover: Bool
    /// The client forgets its window after each message.
    package let clientNoContextTakeover: Bool
    /// The server compresses with a window of at most 2^n bytes, 8–15.
    package let serverWindowBits: Int
    /// The client compresses with a window of at most 2^n bytes, 8–15.
    package let clientWindowBits: Int
    /// The member of `Sec-WebSocket-Extensions` with which the server accepts.
    package let answer: String

    /// The answer of a server with `policy` to one offer; nil if it must decline.
    init?(_ offer: PerMessageDeflateOffer, policy: PerMessageDeflatePolicy) {
        // zlib cannot compress with a window below 2^9 bytes, so a smaller one cannot be promised.
        let serverWindowBits = min(offer.serverWindowBits ?? 15, policy.windowBitsMax)
        guard serverWindowBits >= PerMessageDeflatePolicy.windowBitsMin else { return nil }
        serverNoContextTakeover = offer.serverNoContextTakeover || !policy.takesServerContext
        switch policy.clientContext {
        case .none: clientNoContextTakeover = true
        case .unlessHinted: clientNoContextTakeover = offer.clientNoContextTakeover
        case .always: clientNoContextTakeover = false
        }
        self.serverWindowBits = serverWindowBits
        var answer = "permessage-deflate"
        if serverNoContextTakeover { answer += "; server_no_context_takeover" }
        if clientNoContextTakeover { answer += "; client_no_context_takeover" }
        if serverWindowBits < 15 || offer.serverWindowBits != nil {
            answer += "; server_max_window_bits=\(serverWindowBits)"
        }
        // The server may set a limit only if the client offered it. It sets one only if the window is kept: a window
        // that is dropped after each message costs nothing.
        switch offer.clientWindow {
        case .negotiable where !clientNoContextTakeover && policy.windowBitsMax < 15:
            clientWindowBits = policy.windowBitsMax
            answer += "; client_max_window_bits=\(clientWindowBits)"
        case .bits(let bits):
            clientWindowBits = clientNoContextTakeover ? bits : min(bits, policy.windowBitsMax)
            answer += "; client_max_window_bits=\(clientWindowBits)"
        case .negotiable, .unmentioned:
            clientWindowBits = 15
        }
        self.answer = answer
    }

    /// Reads the server's answer to `offer`; nil if the answer is not allowed, which fails the connection (section
    /// 7.1).
    package init?(_ accepted: WebSocketExtension, to offer: PerMessageDeflateOffer) {
        guard let said = PerMessageDeflateOffer(accepted) else { return nil }
        if case .negotiable = said.clientWindow { return nil }
        guard said.serverNoContextTakeover || !offer.serverNoContextTakeover else { return nil }
        if let asked = offer.serverWindowBits {
            guard let given = said.serverWindowBits, given <= asked else { return nil }
        }
        switch (offer.clientWindow, said.clientWindow) {
        case (_, .unmentioned), (_, .negotiable): clientWindowBits = 15
        case (.unmentioned, .bits): return nil
        case (.negotiable, .bits(let bits)): clientWindowBits = bits
        case (.bits(let own), .bits(let bits)):
            guard bits <= own else { return nil }
            clientWindowBits = bits
        }
        serverNoContextTakeover = said.serverNoContextTakeover
        clientNoContextTakeover = said.clientNoContextTakeover
        serverWindowBits = said.serverWindowBits ?? 15
        answer = ""
    }
}

/// The offers of `permessage-deflate` that a server accepts.
///
/// - Confinement: any
package struct PerMessageDeflatePolicy: Sendable, Hashable {
    /// The smallest window with which zlib compresses; 2^8 is in the RFC but not in zlib.
    package static let windowBitsMin = 9

    /// The policy for the client's window.
    package enum ClientContext: Sendable, Hashable {
        /// It is forgotten after each message.
        case none
        /// It is kept unless the client hinted that it will not use it (section 7.1.1.2).
        case unlessHinted
        /// It is kept, whatever the client hinted: a hint does not bind the client.
        case always
    }

    /// Whether the server keeps its window from message to message where the client allows it: messages are smaller,
    /// but each connection needs memory, and no message can be shared.
    package var takesServerContext: Bool
    /// Whether the client may keep its window; then the server must keep it, too.
    package var clientContext: ClientContext
    /// The largest window with which the server compresses and, where it can set it, for the client's messages, 9–15.
    package var windowBitsMax: Int

    /// A policy; without context takeover in either direction an idle connection costs nothing.
    package init(
        takesServerContext: Bool = false,
        clientContext: ClientContext = .none,
        windowBitsMax: Int = 15
    ) {
        precondition((Self.windowBitsMin...15).contains(windowBitsMax), "a window has 9 to 15 bits")
        self.takesServerContext = takesServerContext
        self.clientContext = clientContext
        self.windowBitsMax = windowBitsMax
    }

    /// Accepts the first acceptable offer, in the client's order of preference; nil if there is none, and then the
    /// connection stays uncompressed (RFC 7692 section 5).
    package func accept(_ offered: [WebSocketExtension]) -> PerMessageDeflateAgreement? {
        for member in offered {
            guard let offer = PerMessageDeflateOffer(member) else { continue }
            if let agreement = PerMessageDeflateAgreement(offer, policy: self) { return agreement }
        }
        return nil
    }
}
