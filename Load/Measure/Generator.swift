/// What the measuring program itself did: when it was at its limit, its figures are its own and not the server's.
struct Generator: Sendable, Equatable {
    /// Of the processor time its loops could have had, the share they took; 1 is all.
    var share: Double
    /// How long after their intended start the latest hundredth of the sends left, in microseconds; nil without a rate.
    var lateMicroseconds: UInt64?
    /// Whether the load was given by a rate and not by what the server took.
    var isPaced = false

    /// Of the machine's processor time, what neither the server nor this program took; nil where it was not looked at.
    var othersShare: Double?

    /// A loop that is busier than this has no time to wait for the server.
    static let shareMax = 0.85
    /// Sends that leave later than this after they were due are the generator's doing.
    static let lateMicrosecondsMax: UInt64 = 5_000

    /// When others have more than this, figures per second tell of them.
    static let othersShareMax = 0.2

    /// What keeps the figures from being the server's: others on the machine, or this program; nil when nothing does.
    var problem: String? {
        let sentences = [own, others].compactMap(\.self)
        return sentences.isEmpty ? nil : sentences.joined(separator: "; ")
    }

    /// Whether this program was the limit, and figures per second are its own.
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
