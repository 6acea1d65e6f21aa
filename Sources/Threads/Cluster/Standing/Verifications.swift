import ThreadMessages

/// The newest digests of each node's tables, and when those of this node are sent to the others.
///
/// - Confinement: any
struct Verifications: Sendable {
    /// A message may be lost, and a node that has just started has heard none.
    private static let repeatMilliseconds: Int64 = 2000

    private let node: String
    private var newest: [String: TableDigests] = [:]
    private var sendAt: Int64 = 0

    /// - Parameter node: the name of this node.
    init(of node: String) { self.node = node }

    subscript(_ node: String) -> TableDigests? { newest[node] }

    /// This node has digested its tables.
    mutating func note(_ own: TableDigests) {
        newest[node] = own
        sendAt = 0
    }

    /// Another node has.
    mutating func note(_ message: VerifiedMessage) {
        guard message.node != node else { return }
        newest[message.node] = message.digests
    }

    /// The message that is to be sent now; nil when none is.
    mutating func takeDue(at now: Int64) -> [UInt8]? {
        guard let own = newest[node], now >= sendAt else { return nil }
        sendAt = now + Self.repeatMilliseconds
        return VerifiedMessage(node: node, own).bytes
    }
}
