import Mail
import Model

/// The newest claims to devices of the last minute at least: a write of an earlier session is not done any more.
///
/// A client that gets no answer through one node repeats the write with its key through another one, and believes the
/// answer that it gets there. If that is a refusal, nothing keeps the key; so the first copy of the write, which may still
/// be on its way, must not be done after it. The first copy bears the claim of the earlier session, and the repetition that
/// of the later one.
///
/// - Confinement: store
struct DeviceFence {
    private var newest: [DeviceKey: Int64] = [:]
    /// The claims before those, which are forgotten next.
    private var older: [DeviceKey: Int64] = [:]
    private var turnedAt: Int64 = 0
    /// The bound of ``newest``.
    private let claimsMax: Int

    init(claimsMax: Int = Limits.fencedDevicesMax) { self.claimsMax = claimsMax }

    /// A session with this claim has sent something.
    ///
    /// - Returns: the claim of a later session of the device, if one is known: then writes of this one are not done.
    @discardableResult
    mutating func note(_ claim: WriteClaim, at tick: Int64) -> WriteClaim? {
        if let known = newest[claim.device], known >= claim.number { return later(known, than: claim) }
        let known = older[claim.device] ?? .min
        if newest.count >= claimsMax { turn(at: tick) }
        newest[claim.device] = max(known, claim.number)
        return later(known, than: claim)
    }

    /// Forgets what is too old for any write that is on its way.
    mutating func forget(at tick: Int64) {
        if tick - turnedAt >= Limits.fencedMilliseconds { turn(at: tick) }
    }

    private mutating func turn(at tick: Int64) {
        older = newest
        newest = [:]
        turnedAt = tick
    }

    private func later(_ number: Int64, than claim: WriteClaim) -> WriteClaim? {
        number > claim.number ? WriteClaim(device: claim.device, number: number) : nil
    }
}
