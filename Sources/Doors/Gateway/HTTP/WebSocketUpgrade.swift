import Admin
import Compression
import Configuration
import Crypto
import Model
import Wire

/// A WebSocket handshake that is accepted: its answer, and the compression that was agreed on.
///
/// - Confinement: loop
struct WebSocketUpgrade {
    /// The bytes of the answer.
    let answer: [UInt8]
    /// Nil when the connection stays uncompressed.
    let compression: ConnectionCompression?

    /// - Parameters:
    ///   - isEcho: whether the connection sends back what it gets.
    ///   - date: for the field `Date`.
    ///   - streams: shared by the connections of the loop.
    /// - Throws: `WebSocketHandshake.Refusal` when the request is no handshake.
    init(
        _ request: HTTPCall, _ subprotocols: WebSocketHandshake.Subprotocols, isEcho: Bool, date: String,
        _ settings: LoopSettings, _ streams: SharedStreams
    ) throws {
        let acceptance = try WebSocketHandshake.check(request.head, subprotocols: subprotocols)
        let accepted = Self.policy(settings.configuration, isEcho: isEcho).flatMap {
            ConnectionCompression.accept(
                acceptance.extensions, policy: $0, streams: streams, budget: settings.contextBudget)
        }
        compression = accepted?.compression
        answer = try WebSocketHandshake.answer(
            acceptance, extensions: accepted?.answer, headers: [HTTPCall.idField: request.id, HTTPDate.field: date],
            sha1: Digest.sha1)
    }

    /// Which compression is agreed on; nil for none.
    private static func policy(_ configuration: ServerConfiguration, isEcho: Bool) -> PerMessageDeflatePolicy? {
        switch configuration.compression {
        case .off: nil
        // Conformance suites try everything.
        case _ where isEcho: PerMessageDeflatePolicy(takesServerContext: true, clientContext: .always)
        case .shared: PerMessageDeflatePolicy()
        case .context:
            PerMessageDeflatePolicy(
                takesServerContext: true, clientContext: .unlessHinted,
                windowBitsMax: CompressionLimits.contextWindowBitsMax)
        }
    }

    /// The answer to a request that is not a valid handshake.
    static func refusal(for error: any Error) -> Problem {
        guard let refusal = error as? WebSocketHandshake.Refusal else {
            return Problem(status: 400, detail: "invalid handshake")
        }
        var problem = Problem(status: refusal.status, detail: refusal.reason)
        problem.headers = refusal.headers
        return problem
    }
}
