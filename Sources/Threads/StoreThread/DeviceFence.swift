import Model
import ThreadMessages

/// The newest claims to devices of the last minute at least: a write of an earlier session is not done any more.
///
/// A client that gets no answer through one node repeats the write with its key through another one, and believes the
/// answer that it gets there. If that is a refusal, nothing keeps the key; so the first copy of the write, which may still
/// be on its way, must not be done after it. The first copy bears the claim of the earlier session, and the repetition that
/// of the later one.
///
/// - Confinement: store
struct DeviceFence {
    private var claims: FencedFacts<DeviceKey, Int64>

    init(claimsMax: Int = MemberLimits.fencedDevicesMax) { claims = FencedFacts(countMax: claimsMax) }

    /// A session with this claim has sent something.
    ///
    /// - Returns: the claim of a later session of the device, if one is known: then writes of this one are not done.
    @discardableResult
    mutating func note(_ claim: WriteClaim, at tick: Int64) -> WriteClaim? {
        let known = claims[claim.device]
        claims.note(claim.number, of: claim.device, at: tick)
        guard let known, known > claim.number else { return nil }
        return WriteClaim(device: claim.device, number: known)
    }

    /// Forgets what is too old for any write that is on its way.
    mutating func forget(at tick: Int64) { claims.forget(at: tick) }
}
