import Model

/// The history that the positions of an opened database belong to.
///
/// - Confinement: any
struct OpenedEpoch {
    let epoch: Epoch
    /// Why it is another than at the last start; nil when it is the same, or the first.
    let renewal: String?

    /// Reads the epoch, and makes another one where the database may lack commits that it had. That of a node among others is
    /// the first leader's, which comes with its database.
    ///
    /// - Throws: `DataDirectory.Problem` on a node among others that has none; `StoredValueProblem`; `DatabaseError`.
    init(_ access: WriteAccess, _ head: Position, _ witness: HeadWitness, isMember: Bool) throws {
        let stored = try access.meta(.epoch).map(Self.epoch)
        guard !isMember else {
            guard let stored else { throw DataDirectory.Problem(description: Self.notMember) }
            // A database that went back reads on from the journal, so the witness decides nothing.
            (epoch, renewal) = (stored, nil)
            return
        }
        let note = try access.unflushedNote()
        if note != nil { try access.noteUnflushed(false) }
        renewal = try stored.flatMap {
            try MemberLog.mayLack(note) ? Self.lacking : witness.objection(to: $0, head: head)
        }
        if renewal == nil, let stored {
            epoch = stored
        } else {
            let text = "e-" + String(UInt64.random(in: 0...UInt64.max), radix: 16)
            epoch = try Self.epoch(text)
            try access.setMeta(.epoch, text)
        }
    }

    private static let lacking = "the machine stopped while its commits were on the disks of the journal only"
    private static let notMember =
        "this folder is not a member of a cluster yet: run 'watchwise cluster init' on the first node, or let this one join"

    private static func epoch(_ text: String) throws -> Epoch {
        guard let epoch = Epoch(text) else { throw MetaText.epoch.problem }
        return epoch
    }
}
