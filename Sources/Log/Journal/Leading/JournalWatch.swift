/// A node's way to the journal: whether it is open, and since when it is not, or leads to a journal that lacks entries.
///
/// - Confinement: any
struct JournalWatch: Sendable {
    private(set) var state = JournalLinkState.unreachable
    /// Nil while the journal's servers can be reached.
    private var cutOffSince: Int64?
    /// Since each answer of the journal says that it has less than this node; nil otherwise.
    private var shortSince: Int64?

    init(at now: Int64) { cutOffSince = now }

    /// Whether the newest answer said that the journal has less than this node.
    var isShort: Bool { shortSince != nil }

    /// Whether the servers have not been reached for so long that a leading node must assume that another one leads.
    func isCutOff(at now: Int64) -> Bool { cutOffSince.map { now - $0 >= LeadingLimits.unanswered } ?? false }

    /// The way changes.
    ///
    /// - Returns: the state before.
    mutating func note(_ new: JournalLinkState, at now: Int64) -> JournalLinkState {
        defer { state = new }
        cutOffSince = new == .unreachable ? cutOffSince ?? now : nil
        if new == .unreachable { shortSince = nil }
        return state
    }

    /// The journal answers with less than this node has read.
    ///
    /// - Returns: whether entries are lost; until then the answer may be old.
    mutating func noteShort(at now: Int64) -> Bool {
        let since = shortSince ?? now
        shortSince = since
        return now - since >= LeadingLimits.doubt
    }

    /// The journal has everything that this node has, or it is not known that it lacks something.
    mutating func noteWhole() { shortSince = nil }
}
