import EventLoop
import Journal
import Model
import Store
import Synchronization
import ThreadMessages

/// The thread that connects a node with the others, played by a test: it keeps what the writer says, and answers entries as
/// the test wants.
final class Script: Sendable {
    /// How entries are answered.
    enum Mode: Sendable {
        case store
        case fence
        /// The journal has the entry, and no answer comes.
        case storeSilently
        /// The journal does not have the entry, and no answer comes.
        case lose
    }

    private struct State {
        var mode = Mode.store
        var sequence: UInt64 = 0
        var term: UInt64 = 0
        var entries: [(JournalEntry, JournalPlace)] = []
        var messages: [ClusterMessage] = []
        var tried = 0
    }

    private let state = Mutex(State())

    /// The digests of tables that the node has made.
    var digests: [TableDigests] {
        state.withLock { state in
            state.messages.compactMap { message in
                guard case .digested(let digests) = message else { return nil }
                return digests
            }
        }
    }

    func set(_ mode: Mode) { state.withLock { $0.mode = mode } }

    /// Another entry of the journal.
    func next(term: UInt64? = nil) -> JournalPlace {
        state.withLock { state in
            state.sequence += 1
            state.term = term ?? state.term
            return JournalPlace(sequence: state.sequence, term: state.term)
        }
    }

    func take(_ message: ClusterMessage) {
        guard case .order(let parts, let wait) = message else { return state.withLock { $0.messages.append(message) } }
        var reader = EntryReader()
        let entry = parts.compactMap { try? reader.receive($0.bytes) }.last
        let answer: CommitWait.Outcome = state.withLock { state in
            state.tried += 1
            switch state.mode {
            case .fence: return .fenced
            case .lose: return .unknown
            case .store, .storeSilently: break
            }
            state.sequence += UInt64(parts.count)
            let place = JournalPlace(sequence: state.sequence, term: state.term)
            if let entry { state.entries.append((entry, place)) }
            return state.mode == .storeSilently ? .unknown : .stored(place)
        }
        wait.fill(answer)
    }

    /// The entries that came, with those that were not stored.
    var tried: Int { state.withLock { $0.tried } }

    /// The entries so far.
    var entries: [(JournalEntry, JournalPlace)] { state.withLock { $0.entries } }

    /// The writes that were to be handed on, as lines.
    var handed: [HandedCommand] {
        state.withLock { state in
            state.messages.flatMap { message -> [HandedCommand] in
                if case .hand(let commands) = message { commands } else { [] }
            }
        }
    }

    var forgotten: [UInt64] {
        state.withLock { state in
            state.messages.flatMap { message -> [UInt64] in
                if case .forget(let tickets) = message { tickets } else { [] }
            }
        }
    }

    /// The places that the database was said to have.
    var applied: [JournalPlace] {
        state.withLock { state in
            state.messages.compactMap { message -> JournalPlace? in
                if case .applied(let place, _) = message { place } else { nil }
            }
        }
    }

    var answered: [(HandedOrigin, after: UInt64, Outcome)] {
        state.withLock { state in
            state.messages.compactMap { message -> (HandedOrigin, after: UInt64, Outcome)? in
                if case .answer(let origin, let after, let outcome) = message { (origin, after, outcome) } else { nil }
            }
        }
    }

    var unfit: [String] {
        state.withLock { state in
            state.messages.compactMap { message -> String? in
                if case .unfit(let sentence) = message { sentence } else { nil }
            }
        }
    }

    var diverged: [String] {
        state.withLock { state in
            state.messages.compactMap { message -> String? in
                if case .diverged(let sentence) = message { sentence } else { nil }
            }
        }
    }
}
