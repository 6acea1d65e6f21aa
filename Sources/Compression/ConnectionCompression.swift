package import Wire

/// Both directions of one connection that agreed on `permessage-deflate`: the loop's shared streams where a direction
/// forgets its window after each message, streams of its own where it does not.
///
/// - Confinement: loop
package final class ConnectionCompression {
    /// Which end of the connection this is.
    package typealias Role = WebSocketConnection.Role

    /// To be handed to ``WebSocketConnection/receive(_:decompressor:into:)``.
    package let inflater: Inflater
    /// The window with which shared messages may be deflated for this connection, 9–15; nil where the connection has a
    /// stream of its own, or where this end cannot deflate.
    package let sharedWindowBits: Int?

    private let deflater: Deflater?
    private let budget: ContextBudget?
    private let bytesTaken: Int

    /// A client's, which is not counted: one program has few.
    package convenience init(_ agreement: PerMessageDeflateAgreement, role: Role, streams: SharedStreams) {
        self.init(agreement, role: role, streams: streams, budget: nil, bytesTaken: 0)
    }

    private init(
        _ agreement: PerMessageDeflateAgreement,
        role: Role,
        streams: SharedStreams,
        budget: ContextBudget?,
        bytesTaken: Int
    ) {
        let isServer = role == .server
        let forgets = isServer ? agreement.serverNoContextTakeover : agreement.clientNoContextTakeover
        let peerForgets = isServer ? agreement.clientNoContextTakeover : agreement.serverNoContextTakeover
        let windowBits = isServer ? agreement.serverWindowBits : agreement.clientWindowBits
        let peerWindowBits = isServer ? agreement.clientWindowBits : agreement.serverWindowBits
        inflater = peerForgets ? streams.inflater : Inflater(windowBits: peerWindowBits, keepsContext: true)
        if windowBits < PerMessageDeflatePolicy.windowBitsMin {
            // A peer may have to use 2^8 bytes, which zlib cannot: it sends everything uncompressed then.
            deflater = nil
            sharedWindowBits = nil
        } else if forgets {
            deflater = streams.deflater(windowBits: windowBits)
            sharedWindowBits = windowBits
        } else {
            deflater = Deflater(windowBits: windowBits, keepsContext: true)
            sharedWindowBits = nil
        }
        self.budget = budget
        self.bytesTaken = bytesTaken
    }

    deinit { budget?.giveBack(bytesTaken) }

    /// The server's side of what a client offered, and what to answer; nil if nothing offered is acceptable.
    ///
    /// - Parameters:
    ///   - offered: the extensions of the handshake.
    ///   - policy: what to agree to; where the budget is used up, contexts are not kept although it allows them.
    ///   - streams: of the connection's loop.
    ///   - budget: for the contexts of all connections.
    package static func accept(
        _ offered: [WebSocketExtension],
        policy: PerMessageDeflatePolicy,
        streams: SharedStreams,
        budget: ContextBudget
    ) -> (compression: ConnectionCompression, answer: String)? {
        guard var agreement = policy.accept(offered) else { return nil }
        var bytes = contextBytes(agreement)
        if bytes > 0, !budget.take(bytes) {
            bytes = 0
            guard let forgetful = PerMessageDeflatePolicy(windowBitsMax: policy.windowBitsMax).accept(offered) else {
                return nil
            }
            agreement = forgetful
        }
        let compression = ConnectionCompression(
            agreement,
            role: .server,
            streams: streams,
            budget: budget,
            bytesTaken: bytes
        )
        return (compression, agreement.answer)
    }

    /// The payload of the compressed message; nil if it is better sent as it is, which is always allowed.
    package func compress(_ message: [UInt8]) -> [UInt8]? {
        guard let deflater else { return nil }
        let payload = deflater.compress(message)
        // What refers to an own context must be sent: the next message may refer to it in turn.
        return sharedWindowBits == nil || payload.count < message.count ? payload : nil
    }

    /// What the server keeps for one connection.
    private static func contextBytes(_ agreement: PerMessageDeflateAgreement) -> Int {
        (agreement.serverNoContextTakeover ? 0 : Deflater.contextBytes(windowBits: agreement.serverWindowBits))
            + (agreement.clientNoContextTakeover ? 0 : Inflater.contextBytes(windowBits: agreement.clientWindowBits))
    }
}

@available(*, unavailable)
extension ConnectionCompression: Sendable {}
