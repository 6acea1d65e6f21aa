import ClientProtocol
import Execution
import Model
import ThreadMessages

/// The keys of the writes that were refused for good in the last minute at least, with the time of the refusal: a copy that
/// came to any node before that is not done any more. See ``DeviceFence``, which does this for sessions, also where clocks
/// do not agree; a request over HTTP has no session.
///
/// A client may send such a write again when it can be done: that copy is later, and is done.
///
/// - Confinement: store
struct RefusedKeys {
    /// A refusal; of two at the same time the one that was noted last counts.
    private struct Refusal: Comparable {
        let at: Timestamp
        let number: Int
        /// The write that was refused; nil for one of a client of the node that leads.
        let handed: RefusedWrite.Handed?

        static func < (one: Self, other: Self) -> Bool { (one.at, one.number) < (other.at, other.number) }
    }

    private var refusals = FencedFacts<RefusedWrite.Name, Refusal>()
    private var count = 0

    /// A write was refused.
    mutating func note(_ refused: RefusedWrite, at tick: Int64) {
        // A signal that comes twice says nothing of what came between.
        if let handed = refused.handed, refusals[refused.name]?.handed == handed { return }
        count += 1
        refusals.note(Refusal(at: refused.at, number: count, handed: refused.handed), of: refused.name, at: tick)
    }

    /// Whether a write is outdated: it came to its node, and later another copy of it was refused. The refused copy itself is
    /// not outdated: its node may hear of the refusal before it has the answer.
    ///
    /// - Parameter handed: the node and the ticket of the write; nil where it has none.
    func isOvertaken(_ order: WriteOrder, handed: RefusedWrite.Handed? = nil) -> Bool {
        guard !refusals.isEmpty, let name = order.refusedName, let refused = refusals[name] else { return false }
        if let handed = handed ?? order.handed, handed == refused.handed { return false }
        return order.origin?.at ?? order.request.at < refused.at
    }

    /// Forgets what is too old for any write that is on its way.
    mutating func forget(at tick: Int64) { refusals.forget(at: tick) }
}

extension WriteOrder {
    /// The facts that the others are to know of a write that was refused for good; nil for other outcomes, and for a write
    /// without a key.
    func refused(by outcome: Outcome) -> RefusedWrite? {
        guard case .failure(let refusal) = outcome, refusal.code.errorClass == .permanent else { return nil }
        return refusedName.map { RefusedWrite($0, at: request.at, handed: handed) }
    }

    /// The node and the ticket under which another node has handed it on.
    fileprivate var handed: RefusedWrite.Handed? {
        origin.map { RefusedWrite.Handed(node: $0.node, ticket: $0.ticket) }
    }

    fileprivate var refusedName: RefusedWrite.Name? {
        guard let key = request.useCase.key else { return nil }
        switch request.actor {
        case .user(_, let name, _): return RefusedWrite.Name(owner: name.text, key: key.text)
        case .administrator(let subject): return RefusedWrite.Name(owner: " " + subject.text, key: key.text)
        case .server: return nil
        }
    }
}
