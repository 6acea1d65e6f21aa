import Session

/// The parts that a device is made of.
struct DeviceParts: Sendable {
    let user: String
    let location: StoreLocation
    let token: TokenSource
    let conflicts: ConflictHandler?
    let transport: @Sendable (TransportInbox) throws -> any SessionTransport
    var name: String?
    var locale: String?
    /// Whether it connects at all: an extension of an application only reads, and adds to the outbox.
    var connects = true
    var clock = ClientClock.system
}

/// A name that no other device and no other write has.
enum RandomName {
    /// 16 random bytes, as the contract allows in keys and names.
    static func make(_ prefix: String = "") -> String {
        prefix + (0..<4).map { _ in String(UInt32.random(in: .min ... .max), radix: 36) }.joined()
    }
}
