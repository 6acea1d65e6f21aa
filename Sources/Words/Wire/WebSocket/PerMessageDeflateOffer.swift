/// A client's offer for `permessage-deflate` (RFC 7692 section 7.1).
///
/// - Confinement: any
package struct PerMessageDeflateOffer: Sendable, Hashable {
    /// The offer's statement about the window with which the client compresses.
    package enum ClientWindow: Sendable, Hashable {
        /// Not mentioned: the server must not limit it.
        case unmentioned
        /// The client accepts a limit and proposes none.
        case negotiable
        /// The client accepts a limit, and promises to use at most 2^n bytes.
        case bits(Int)
    }

    /// The server must forget its window after each message.
    package private(set) var serverNoContextTakeover = false
    /// The client will forget its window after each message.
    package private(set) var clientNoContextTakeover = false
    /// The server must not use a window above 2^n bytes (8–15), if given.
    package private(set) var serverWindowBits: Int?
    /// The client's statement about its own window.
    package private(set) var clientWindow = ClientWindow.unmentioned

    /// Reads an offer; nil if it is another extension or must be declined: an unknown parameter, a repeated one, or one
    /// with an invalid value (section 7.1).
    package init?(_ offered: WebSocketExtension) {
        guard HTTPSyntax.isEqualIgnoringCase(offered.name, "permessage-deflate") else { return nil }
        guard Set(offered.parameters.map(\.name)).count == offered.parameters.count else { return nil }
        for parameter in offered.parameters {
            switch (parameter.name, parameter.value) {
            case ("server_no_context_takeover", nil): serverNoContextTakeover = true
            case ("client_no_context_takeover", nil): clientNoContextTakeover = true
            case ("client_max_window_bits", nil): clientWindow = .negotiable
            case ("client_max_window_bits", let value?):
                guard let bits = Self.windowBits(value) else { return nil }
                clientWindow = .bits(bits)
            case ("server_max_window_bits", let value?):
                guard let bits = Self.windowBits(value) else { return nil }
                serverWindowBits = bits
            default: return nil
            }
        }
    }

    /// Makes an offer.
    package init(
        serverNoContextTakeover: Bool = false,
        clientNoContextTakeover: Bool = false,
        serverWindowBits: Int? = nil,
        clientWindow: ClientWindow = .negotiable
    ) {
        self.serverNoContextTakeover = serverNoContextTakeover
        self.clientNoContextTakeover = clientNoContextTakeover
        self.serverWindowBits = serverWindowBits
        self.clientWindow = clientWindow
    }

    /// The member of `Sec-WebSocket-Extensions` for this offer.
    package var text: String {
        var text = "permessage-deflate"
        if serverNoContextTakeover { text += "; server_no_context_takeover" }
        if clientNoContextTakeover { text += "; client_no_context_takeover" }
        if let serverWindowBits { text += "; server_max_window_bits=\(serverWindowBits)" }
        switch clientWindow {
        case .unmentioned: break
        case .negotiable: text += "; client_max_window_bits"
        case .bits(let bits): text += "; client_max_window_bits=\(bits)"
        }
        return text
    }

    /// 8–15 without leading zeros (section 7.1.2).
    private static func windowBits(_ text: String) -> Int? {
        guard !text.hasPrefix("0"), let bits = HTTPSyntax.decimal(text.utf8), (8...15).contains(bits) else {
            return nil
        }
        return bits
    }
}
