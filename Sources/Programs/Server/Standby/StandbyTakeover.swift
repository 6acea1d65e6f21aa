import EventLoop
import Journal
import Model
import Telemetry
import ThreadMessages

/// The step of a standby into its primary's place, when an operator wants it.
///
/// A primary that answers now is asked to commit nothing more, and says its last entry: then nothing is missing, and the epoch
/// stays. One that does not answer may have gone on since the end that it said before it stopped, so a new epoch begins:
/// clients may have seen what the standby lacks. Without such an end the standby goes on only if it is forced to.
///
/// - Confinement: loop
final class StandbyTakeover {
    /// How its standby stands.
    ///
    /// - Confinement: loop
    struct State {
        let facts: StandbyFacts
        /// The newest entry that was read.
        let read: UInt64
        /// Whether the primary's last answer says that nothing comes after it.
        let isEnded: Bool
        /// Whether it has said so before, and the disk has everything.
        let hasEnd: Bool
        let lastEntryAt: Timestamp?

        var lacking: UInt64 { facts.last - min(facts.last, facts.applied) }
    }

    private struct Attempt {
        let isForced: Bool
        /// After this it does not wait for the primary any more.
        let endsAt: Int64
        var answer: PrimaryCalls.Handover?
    }

    private static let handoverMilliseconds: Int64 = 30_000
    /// A primary is not asked to end its writes for a standby that lacks more.
    private static let lackingMax: UInt64 = 10_000

    private let calls: PrimaryCalls
    private let surroundings: StandbySurroundings
    private var attempt: Attempt?

    init(_ calls: PrimaryCalls, _ surroundings: StandbySurroundings) {
        self.calls = calls
        self.surroundings = surroundings
    }

    /// An operator wants it.
    func begin(isForced: Bool, _ state: State) {
        guard attempt == nil else { return }
        if !isForced, state.lacking > Self.lackingMax {
            return refuse(
                "this standby still lacks \(state.lacking) entries: wait until it has caught up, 'watchwise standby status' "
                    + "shows it")
        }
        surroundings.log.info("this standby is to take its primary's place", ["entry": "\(state.facts.applied)"])
        attempt = Attempt(isForced: isForced, endsAt: surroundings.loop.now + Self.handoverMilliseconds)
        guard state.facts.role == .standby else {
            attempt?.answer = .refused("this standby does not follow it: \(state.facts.problem ?? "its log says why")")
            return
        }
        calls.handOver { [unowned self] in attempt?.answer = $0 }
    }

    /// Ends the attempt, if there is one whose end is known.
    ///
    /// - Returns: why the server starts again; nil while it does not.
    func end(_ state: State) -> String? {
        guard let attempt, let answer = attempt.answer else { return nil }
        let isOver = surroundings.loop.now >= attempt.endsAt
        switch answer {
        case .accepted:
            if state.isEnded, state.hasEnd { return finish(.promoted, "the primary has ended its writes") }
            guard isOver else { return nil }
            return without("it has accepted to hand over, and not given its end", attempt, state)
        case .refused(let reason):
            // It is being stopped. A standby that follows no more has only an old word of it.
            if state.facts.role == .standby, state.isEnded, state.hasEnd {
                return finish(.promoted, "the primary ends its writes")
            }
            return without(reason, attempt, state)
        case .unreachable(let reason):
            if state.hasEnd { return finish(.promotedLate, "\(end), and it does not answer: \(reason)") }
            return without("it does not answer: \(reason)", attempt, state)
        }
    }

    /// Goes on without the primary, or not at all.
    private func without(_ reason: String, _ attempt: Attempt, _ state: State) -> String? {
        guard attempt.isForced else {
            refuse(
                "the primary \(calls.address) does not hand over: \(reason). \(Self.age(state)); later writes that it has "
                    + "acknowledged would be missing. If it cannot be brought back, end it for good and repeat this with "
                    + "--force: a new epoch begins")
            return nil
        }
        // Everything that was read is applied first.
        guard state.facts.applied >= state.read || surroundings.loop.now >= attempt.endsAt else { return nil }
        return finish(.promotedLate, "\(reason). \(Self.age(state))")
    }

    /// The end that the primary said before it stopped.
    private var end: String { surroundings.folder.text(of: .end) ?? "the primary had ended its writes" }

    private static func age(_ state: State) -> String {
        let entry = "This standby has the entries up to \(state.facts.applied)"
        let time = state.lastEntryAt.map { ", the last write is of \($0.text)" } ?? ""
        let heard = state.facts.silentMilliseconds.map { ", and it has last heard of the primary \($0 / 1000) s ago" }
        return entry + time + (heard ?? ", and it has not heard of the primary since it started")
    }

    private func refuse(_ sentence: String) {
        attempt = nil
        surroundings.log.warning("this standby does not take its primary's place", ["reason": sentence])
        surroundings.board.refusePromotion(sentence)
    }

    private func finish(_ mark: StandbyFolder.Mark, _ sentence: String) -> String? {
        attempt = nil
        do {
            try surroundings.folder.put(mark, calls.address)
            try surroundings.folder.remove(.following)
            // In the folder of an old primary that has followed its standby.
            try surroundings.folder.remove(.handedOver)
        } catch {
            refuse("the folder cannot be written: \(error)")
            return nil
        }
        surroundings.log.warning(
            "this standby takes its primary's place",
            ["epoch": mark == .promoted ? "kept" : "new", "reason": sentence], isChange: true)
        return "this standby takes its primary's place"
    }
}

@available(*, unavailable)
extension StandbyTakeover: Sendable {}
