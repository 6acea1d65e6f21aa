import Store

extension WriteContext {
    /// The user is about to do something that reaches others.
    ///
    /// - Parameter deed: is counted; nil for what is not.
    /// - Throws: `Refusal`: `forbidden` when the user is muted, `rate-limited` when the user has done it too often.
    package func reachOthers(_ deed: Deed? = nil) throws {
        guard let writer, try restraint.mayHold(writer, in: transaction.reading) else { return }
        try restraint.checkMute(of: writer, at: now, in: transaction.reading)
        if let deed { try restraint.count(deed, by: writer, at: now, in: transaction.reading) }
    }

    /// Counts something that a user does, muted or not.
    ///
    /// - Throws: `Refusal` (`rate-limited`) when the user has done it too often.
    package func count(_ deed: Deed) throws {
        guard let writer else { return }
        try restraint.count(deed, by: writer, at: now, in: transaction.reading)
    }

    /// How often the user who writes may do something; nil for any number of times.
    package func limit(of deed: Deed) throws -> RateLimit? {
        guard let writer else { return nil }
        return try restraint.limit(of: deed, by: writer, in: transaction.reading)
    }
}
