package import Wire

/// The compression of one connection that agreed on `permessage-deflate`. A direction that forgets its window after
/// each message uses the loop's shared streams; a direction that keeps it has a stream of its own.
///
/// - Confinement: loop
package final class ConnectionCompression {
    /// The side of the connection.
    package typealias Role = WebSocketConnection.Role

    /// The inflater for ``WebSocketConnection/receive(_:decompressor:into:)``.
    package let inflater: Inflater
    /// The window for deflating shared messages for this connection, 9–15; nil where the connection has a stream of its
    /// own, or where this side cannot deflate.
    package let sharedWindowBits: Int?

    private let deflater: Deflater?
    private let budget: ContextBudget?
    private let bytesTaken: Int

    /// For a client; its memory is not counted, since a program has few clients.
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
            // The peer may demand a window of 2^8 bytes, which zlib cannot deflate: then this side sends uncompressed
            // messages.
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

    /// Chooses from a client's offer, on the server's side, and returns the answer; nil if no offer is acceptable.
    ///
    /// - Parameters:
    ///   - offered: The extensions of the handshake.
    ///   - policy: What may be agreed on; when the budget is used up, contexts are not kept even if the policy allows
    ///     it.
    ///   - streams: The streams of the connection's loop.
    ///   - budget: The memory for the contexts of all connections.
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

    /// The payload of the compressed message; nil to send it uncompressed, which is always allowed.
    package func compress(_ message: [UInt8]) -> [UInt8]? {
        guard let deflater else { return nil }
        let payload = deflater.compress(message)
        // A message in an own context must be sent compressed, because the next message may refer to it.
        return sharedWindowBits == nil || payload.count < message.count ? payload : nil
    }

    /// The bytes that the server keeps for one connection.
    private static func contextBytes(_ agreement: PerMessageDeflateAgreement) -> Int {
        (agreement.serverNoContextTakeover ? 0 : Deflater.contextBytes(windowBits: agreement.serverWindowBits))
            + (agreement.clientNoContextTakeover ? 0 : Inflater.contextBytes(windowBits: agreement.clientWindowBits))
    }
}

@available(*, unavailable)
extension ConnectionCompression: Sendable {}
