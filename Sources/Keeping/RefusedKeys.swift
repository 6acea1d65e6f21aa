import ClientProtocol
import Execution
import Mail
import Model

/// The keys of the writes that were refused for good in the last minute at least, with the time of the refusal: a copy that
/// came to any node before that is not done any more. See ``DeviceFence``, which does this for sessions, also where clocks
/// do not agree; a request over HTTP has no session.
///
/// A client may send such a write again when it can be done: that copy is later, and is done.
///
/// - Confinement: store
struct RefusedKeys {
    private var refusals = FencedFacts<RefusedWrite.Name, Timestamp>()

    /// A write was refused.
    mutating func note(_ refused: RefusedWrite, at tick: Int64) {
        refusals.note(refused.at, of: refused.name, at: tick)
    }

    /// Whether a write is the copy of one that was refused after this copy had come to its node.
    func isOvertaken(_ order: WriteOrder) -> Bool {
        guard !refusals.isEmpty, let name = order.refusedName, let refused = refusals[name] else { return false }
        return order.origin?.at ?? order.request.at < refused
    }

    /// Forgets what is too old for any write that is on its way.
    mutating func forget(at tick: Int64) { refusals.forget(at: tick) }
}

extension WriteOrder {
    /// The facts that the others are to know of a write that was refused for good; nil for other outcomes, and for a write
    /// without a key.
    func refused(by outcome: Outcome) -> RefusedWrite? {
        guard case .failure(let refusal) = outcome, refusal.code.errorClass == .permanent else { return nil }
        return refusedName.map { RefusedWrite($0, at: request.at) }
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
