/// The last time at which a device heard of its connection, and the sign of life that it has asked for.
/// - Confinement: any
struct LifeSigns: Sendable {
    private var heardAt: Int64 = 0
    /// When a sign must have come after a `ping`; nil when none is asked for.
    private var askedUntil: Int64?
    private var pingID: Int64?

    /// Whether a sign is asked for.
    var isAsked: Bool { askedUntil != nil }

    /// Bytes have come.
    mutating func heard(at now: Int64) {
        heardAt = now
        askedUntil = nil
    }

    /// A `ping` is sent, which must be answered by some time.
    mutating func asked(id: Int64, until: Int64) {
        pingID = id
        askedUntil = until
    }

    /// Whether a reply is the one to the `ping`.
    mutating func isAnswer(_ id: Int64) -> Bool {
        guard id == pingID else { return false }
        pingID = nil
        return true
    }

    /// The connection is gone.
    mutating func disconnected() { (askedUntil, pingID) = (nil, nil) }

    /// Whether nothing was heard for longer than this.
    func isSilent(forMore milliseconds: Int64, at now: Int64) -> Bool { now - heardAt > milliseconds }

    /// When the connection counts as dead, if nothing is heard.
    func endAt(silenceMax milliseconds: Int64) -> Int64 { min(heardAt + milliseconds, askedUntil ?? .max) }
}
