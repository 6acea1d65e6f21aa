import Crypto
import TestSupport

/// A client and a server back to back, and the network between them.
struct EnginePair: CustomStringConvertible {
    let client: TLSEngine
    let server: TLSEngine
    /// The plaintext each has got.
    var atServer: [UInt8] = []
    var atClient: [UInt8] = []
    /// All ciphertext that went each way.
    var toServer: [UInt8] = []
    var toClient: [UInt8] = []

    init(
        _ server: TLSContext,
        _ client: TLSContext,
        host: String = "localhost",
        resuming session: TLSSession? = nil
    ) throws {
        self.server = try TLSEngine(server)
        self.client = try TLSEngine(client, host: host, resuming: session)
    }

    /// Delivers until both are silent.
    /// - Parameter cut: the pieces in which bytes of the given direction arrive; whole when nil.
    mutating func run(cut: ((_ bytes: [UInt8], _ sentBefore: Int, _ toServer: Bool) -> [[UInt8]])? = nil) {
        while client.ciphertextBytes + server.ciphertextBytes > 0 {
            let up = client.takeCiphertext()
            for piece in cut?(up, toServer.count, true) ?? [up] {
                piece.withRawSpan { _ = server.receive($0, into: &atServer) }
            }
            toServer += up
            let down = server.takeCiphertext()
            for piece in cut?(down, toClient.count, false) ?? [down] {
                piece.withRawSpan { _ = client.receive($0, into: &atClient) }
            }
            toClient += down
        }
    }

    var description: String { "client \(client.state), server \(server.state)" }

    var isOpen: Bool { client.state == .open && server.state == .open }
}

extension Array where Element == UInt8 {
    /// Lends the bytes as engines take them.
    func withRawSpan<Result>(_ body: (RawSpan) -> Result) -> Result {
        unsafe withUnsafeBytes { unsafe body($0.bytes) }
    }
}
