import EventLoop
import Journal
import Synchronization
import TestSupport
import ThreadMessages

/// A journal in memory and the threads that connect three writers with it and with each other. Chance decides who leads, when
/// entries and commands arrive, and which answers are lost.
final class OrderedJournal: Sendable {
    /// Something that the threads of a cluster must not do.
    enum Mistake: CaseIterable {
        /// Writes that an entry has answered are handed on again.
        case handsAnsweredAgain
        /// A write that was handed to an earlier leadership counts for the present one.
        case ignoresTerm
        /// Writes that wait are handed on although their node leads meanwhile.
        case handsOwnAgain
    }

    private struct Place {
        /// How many entries the node's writer has got.
        var delivered = 0
        /// Entries that the writer committed itself.
        var own: Set<Int> = []
        /// The newest leadership that it has read.
        var term: UInt64 = 0
        /// Writes of its clients without an answer, and how many of them are at the node that leads.
        var window: [HandedCommand] = []
        var sent = 0
        /// After `lead`, writes that are handed on are void until the writer has taken that in.
        var awaits: UInt64?
        /// Commands of other nodes that its loop has not decoded yet.
        var inLoop: [(HandedCommand, from: String, term: UInt64)] = []
    }

    private struct State {
        var random: SeededRandom
        var entries: [(entry: JournalEntry, place: JournalPlace)] = []
        var term: UInt64 = 0
        var leader: String?
        var places: [String: Place] = [:]
        var nodes: [String: TestNode] = [:]
    }

    private let state: Mutex<State>
    private let mistake: Mistake?

    init(seed: UInt64, mistake: Mistake? = nil) {
        state = Mutex(State(random: SeededRandom(seed: seed)))
        self.mistake = mistake
    }

    func add(_ node: TestNode) {
        state.withLock { state in
            state.nodes[node.name] = node
            state.places[node.name] = Place()
        }
    }

    /// One thing of chance happens.
    func step() {
        state.withLock { state in
            guard let name = state.nodes.keys.sorted().randomElement(using: &state.random) else { return }
            // Commands wait long in a loop, so that many are there when their leadership is over.
            switch Int.random(in: 0...29, using: &state.random) {
            case 0: elect(name, &state)
            case 1...12: deliver(to: name, count: Int.random(in: 1...3, using: &state.random), &state)
            case 13...27: send(from: name, &state)
            default: decode(at: name, &state)
            }
        }
    }

    /// All that is under way arrives; without a leader one is elected.
    func settle() {
        state.withLock { state in
            let names = state.nodes.keys.sorted()
            if state.leader == nil, let first = names.first { elect(first, &state) }
            for name in names { deliver(to: name, count: .max, &state) }
            for name in names { send(from: name, &state) }
            for name in names { decode(at: name, &state) }
        }
    }

    // MARK: What the writers say

    func take(_ message: ClusterMessage, from name: String) {
        switch message {
        case .order(let parts, let wait): wait.fill(order(parts, from: name))
        case .hand(let commands):
            state.withLock { state in
                guard state.places[name]?.awaits == nil || mistake == .handsOwnAgain else { return }
                state.places[name]?.window += commands
            }
        case .applied(let place, _):
            state.withLock { state in
                if let awaited = state.places[name]?.awaits, place.sequence >= awaited {
                    state.places[name]?.awaits = nil
                }
            }
        case .answer(let origin, let after, let outcome):
            state.withLock { state in
                // The node drops answers of a leadership that is over for it.
                guard let place = state.places[origin.node], place.term == origin.term,
                    let index = place.window.firstIndex(where: { $0.ticket == origin.ticket })
                else { return }
                state.places[origin.node]?.window.remove(at: index)
                if index < place.sent { state.places[origin.node]?.sent -= 1 }
                state.nodes[origin.node]?.mail.writer.post(
                    .unwritten([UnwrittenAnswer(ticket: origin.ticket, after: after, outcome: outcome)]))
            }
        default: break
        }
    }

    private func order(_ parts: [EncodedEntry], from name: String) -> CommitWait.Outcome {
        var reader = EntryReader()
        guard let entry = parts.compactMap({ try? reader.receive($0.bytes) }).last else { return .fenced }
        return state.withLock { state in
            guard state.leader == name, entry.author.term == state.term else { return .fenced }
            let chance = Int.random(in: 0...19, using: &state.random)
            if chance > 2 {
                state.places[name]?.own.insert(state.entries.count)
                return .stored(append(entry, &state))
            }
            state.leader = nil
            if chance == 0 {
                // Another node stood first.
                let others = state.nodes.keys.sorted().filter { $0 != name }
                if let other = others.randomElement(using: &state.random) { elect(other, &state) }
                state.nodes[name]?.mail.writer.post(.follow)
                return .fenced
            }
            if chance == 1 { _ = append(entry, &state) }
            state.nodes[name]?.mail.writer.post(.follow)
            return .unknown
        }
    }

    // MARK: Parts of chance

    private func append(_ entry: JournalEntry, _ state: inout State) -> JournalPlace {
        let place = JournalPlace(sequence: UInt64(state.entries.count + 1), term: entry.author.term)
        state.entries.append((entry, place))
        return place
    }

    /// A node that has read everything leads from now on.
    private func elect(_ name: String, _ state: inout State) {
        if let leader = state.leader {
            guard leader != name else { return }
            state.nodes[leader]?.mail.writer.post(.follow)
        }
        deliver(to: name, count: .max, &state)
        state.term += 1
        let lead = JournalEntry(
            author: .init(term: state.term, node: name, schema: 25), content: .lead(program: "test"))
        state.places[name]?.own.insert(state.entries.count)
        let place = append(lead, &state)
        state.leader = name
        state.places[name]?.term = state.term
        state.places[name]?.awaits = place.sequence
        if mistake != .handsOwnAgain { state.places[name]?.window = [] }
        state.places[name]?.sent = 0
        state.nodes[name]?.mail.writer.post(.lead(place))
    }

    private func deliver(to name: String, count: Int, _ state: inout State) {
        guard var place = state.places[name] else { return }
        var left = count
        while left > 0, place.delivered < state.entries.count {
            left -= 1
            let (entry, at) = state.entries[place.delivered]
            if !place.own.contains(place.delivered) {
                if case .lead = entry.content { (place.term, place.sent) = (entry.author.term, 0) }
                if case .commit(let commit) = entry.content, mistake != .handsAnsweredAgain {
                    for reply in commit.replies where reply.node == name {
                        guard let index = place.window.firstIndex(where: { $0.ticket == reply.ticket }) else {
                            continue
                        }
                        place.window.remove(at: index)
                        if index < place.sent { place.sent -= 1 }
                    }
                }
                state.nodes[name]?.mail.writer.post(.apply(entry, at: at))
            }
            place.delivered += 1
        }
        state.places[name] = place
    }

    /// A node's writes reach the node that leads, if that is the one it has read of.
    private func send(from name: String, _ state: inout State) {
        guard let leader = state.leader, leader != name, var place = state.places[name], place.term == state.term else {
            return
        }
        for command in place.window[place.sent...] { state.places[leader]?.inLoop.append((command, name, state.term)) }
        place.sent = place.window.count
        state.places[name] = place
    }

    private func decode(at name: String, _ state: inout State) {
        let commands = state.places[name]?.inLoop ?? []
        state.places[name]?.inLoop = []
        for (command, from, term) in commands {
            state.nodes[name]?.take(command, from: from, term: mistake == .ignoresTerm ? state.term : term)
        }
    }
}
