import Journal
import Synchronization

/// How a primary or its standby stands, and a primary's newest entries: one thread writes, the loops read.
///
/// - Confinement: any
package final class StandbyBoard: Sendable {
    /// The answer to a standby's question.
    ///
    /// - Confinement: any
    package enum Answer: Sendable {
        case page(StandbyPage)
        /// It must fetch a new copy of the database.
        case gone
        /// The primary begins to keep its commits now.
        case later
        /// It cannot follow this server; the sentence says why, and what to do.
        case foreign(String)
    }

    /// A takeover that an operator asked of a standby.
    ///
    /// - Confinement: any
    package enum Promotion: Sendable, Hashable {
        case underWay
        /// The standby goes on as a standby.
        case refused(String)
    }

    /// The last question of a standby.
    ///
    /// - Confinement: any
    package struct Asked: Sendable, Hashable {
        package let question: StandbyQuestion
        package let at: Int64
    }

    private struct State {
        var facts: StandbyFacts
        var recent: RecentEntries?
        var asked: Asked?
        var promotion: Promotion?
    }

    /// A standby that has not asked for this long does not follow now.
    private static let silentMilliseconds: Int64 = 2000

    private let schema: Int
    /// Protected by its lock, taken once for each commit of a primary and for each question of a standby.
    private let state: Mutex<State>

    /// - Parameter schema: of this program.
    package init(_ facts: StandbyFacts, schema: Int) {
        self.schema = schema
        state = Mutex(State(facts: facts))
    }

    package var facts: StandbyFacts { state.withLock { $0.facts } }

    /// A standby shows how it stands.
    package func show(_ facts: StandbyFacts) { state.withLock { $0.facts = facts } }

    // MARK: A primary

    /// A primary shows how it stands.
    ///
    /// - Returns: all facts.
    @discardableResult
    package func show(_ role: StandbyFacts.Role, problem: String?) -> StandbyFacts {
        state.withLock { state in
            (state.facts.role, state.facts.problem) = (role, problem)
            return state.facts
        }
    }

    /// A primary keeps its entries from now on; nil: no more.
    package func keep(_ recent: RecentEntries?) { state.withLock { $0.recent = recent } }

    /// The entries that a primary remembers.
    package var entries: [StandbyPage.Entry] { state.withLock { $0.recent?.all ?? [] } }

    /// An entry is in the primary's database.
    package func append(_ entry: StandbyPage.Entry) {
        state.withLock { state in
            state.recent?.append(entry)
            state.facts.applied = entry.place.sequence
            state.facts.last = entry.place.sequence
        }
    }

    /// A standby asks.
    ///
    /// - Parameter now: milliseconds of a steady clock.
    package func ask(_ question: StandbyQuestion, bytesMax: Int, at now: Int64) -> Answer {
        state.withLock { state in
            if let sentence = unfit(question, state.facts) { return .foreign(sentence) }
            state.asked = Asked(question: question, at: now)
            guard let recent = state.recent else { return .later }
            guard let place = question.place else { return .gone }
            guard place.sequence <= recent.last.sequence else {
                return .foreign(
                    "the standby has entry \(place.sequence), and the primary ends at \(recent.last.sequence): if the "
                        + "primary is the one to follow, start the standby with an empty folder")
            }
            guard let entries = recent.entries(after: place, bytesMax: bytesMax) else { return .gone }
            var page = StandbyPage()
            page.last = recent.last.sequence
            page.isEnded = state.facts.role.isEnd
            page.entries = entries
            return .page(page)
        }
    }

    /// Why a server cannot follow this one.
    private func unfit(_ question: StandbyQuestion, _ facts: StandbyFacts) -> String? {
        if let primary = facts.primary {
            return "this server is itself the standby of \(primary): follow that one"
        }
        if question.schema != schema {
            return "the standby's program has schema \(question.schema), and the primary's \(schema): start the same "
                + "program on both, on the primary first"
        }
        if question.place == nil, facts.role == .handedOver {
            return "this server was handed over to its standby: follow that one"
        }
        if question.place != nil, question.epoch != facts.epoch {
            return
                "the standby's database has the epoch \(question.epoch), and the primary's \(facts.epoch): start the "
                + "standby with an empty folder"
        }
        return nil
    }

    /// The last question of a standby, if one has asked.
    package var asked: Asked? { state.withLock { $0.asked } }

    /// Whether a standby follows at this time, and its disk may lack the end.
    package func lacksEnd(at now: Int64) -> Bool {
        state.withLock { state in
            guard let asked = state.asked, now - asked.at < Self.silentMilliseconds else { return false }
            return !state.facts.role.isEnd || !asked.question.hasEnd
                || asked.question.place?.sequence != state.facts.last
        }
    }

    // MARK: A standby

    package var promotion: Promotion? { state.withLock { $0.promotion } }

    /// An operator asks this standby to take its primary's place.
    ///
    /// - Returns: false when it is doing so already.
    package func beginPromotion() -> Bool {
        state.withLock { state in
            guard state.promotion != .underWay else { return false }
            state.promotion = .underWay
            return true
        }
    }

    /// The standby does not take its primary's place.
    package func refusePromotion(_ sentence: String) { state.withLock { $0.promotion = .refused(sentence) } }
}
