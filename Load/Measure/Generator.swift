/// The load of the measuring program itself: when it is at its limit, the figures describe this program and not the
/// server.
struct Generator: Sendable, Equatable {
    /// The share of the processor time that its loops used; 1 is all that they could have.
    var share: Double
    /// How late the latest hundredth of the sends was, in microseconds; nil without a rate.
    var lateMicroseconds: UInt64?
    /// Whether the load had a fixed rate and was not bounded by the server's speed.
    var isPaced = false

    /// The share of the machine's processor time that other programs used; nil where it was not measured.
    var othersShare: Double?

    /// A loop that is busier than this has no time left to wait for the server.
    static let shareMax = 0.85
    /// Sends that are later than this are late because of the generator.
    static let lateMicrosecondsMax: UInt64 = 5_000

    /// When other programs use more than this, figures per second depend on them.
    static let othersShareMax = 0.2

    /// Why the figures do not describe the server: other programs, or this one; nil when they do.
    var problem: String? {
        let sentences = [own, others].compactMap(\.self)
        return sentences.isEmpty ? nil : sentences.joined(separator: "; ")
    }

    /// Whether this program was the limit, so that figures per second describe it and not the server.
    var isLimit: Bool { own != nil }

    private var others: String? {
        guard let othersShare, othersShare > Self.othersShareMax else { return nil }
        return "others had \(Int(othersShare * 100)) % of the machine: read figures per server CPU second only"
    }

    private var own: String? {
        if let lateMicroseconds, lateMicroseconds > Self.lateMicrosecondsMax {
            return "the generator was late: a hundredth of the sends left \(lateMicroseconds / 1000) ms or more after "
                + "they were due"
        }
        guard share > Self.shareMax, !isPaced else { return nil }
        return "the generator was the limit: its threads were busy for \(Int(share * 100)) % of the time; the server "
            + "may be faster (figures per server CPU second stand)"
    }
}
