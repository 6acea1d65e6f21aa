package import Model
package import Searching
package import Store

/// Brings the index of messages up to the log, one slice at a time, beside the commits.
///
/// A new index follows the log from its end, and walks over the older messages in between, in the order of chats.
///
/// - Confinement: store (the thread of the search)
package final class SearchIndexing {
    private let reader: Reader
    private let index: SearchIndex
    /// How many older messages the walk has come over.
    package private(set) var walked = 0
    /// The end of the log at the last slice.
    package private(set) var head = Position.zero
    /// How far the log goes beyond the index.
    package private(set) var lag: Int64 = 0

    /// The result of a slice.
    package enum Step: Sendable, Equatable {
        /// The index was begun; messages up to this position are walked over.
        case began(Position)
        /// There is nothing to do now.
        case idle
        /// There is more to do at once.
        case more
        /// All older messages are indexed.
        case built
    }

    package init(reader: Reader, index: SearchIndex) {
        self.reader = reader
        self.index = index
    }

    /// Whether the index has texts in its pages that were taken out.
    package var removed: Int64 { index.standing?.removed ?? 0 }

    /// Indexes the next slice.
    ///
    /// - Throws: errors of either database; then the slice is not indexed.
    package func step() throws -> Step {
        // The index is written after the read has ended: as long as it lasts, SQLite's log cannot begin again.
        switch try reader.read({ try plan(in: $0) }) {
        case .nothing: return .idle
        case .begin(let head):
            walked = 0
            try index.begin(at: head)
            return .began(head)
        case .change(let standing, let removed, let added, let walked, let step):
            try index.change(standing, removing: removed, adding: added)
            self.walked += walked
            return step
        }
    }

    /// The work of a slice.
    private enum Plan {
        case nothing
        case begin(Position)
        case change(
            SearchStanding, removing: [SearchEntry], adding: [SearchEntry], walked: Int, then: Step)
    }

    private func plan(in transaction: Transaction) throws -> Plan {
        let head = try transaction.log.head()
        self.head = head
        guard let standing = index.standing, standing.followed <= head,
            try standing.followed >= transaction.retention.from()
        else { return .begin(head) }
        lag = head.value - standing.followed.value
        if lag > 0 { return try follow(standing, upTo: head, in: transaction) ?? .begin(head) }
        return try standing.walk.map { try walk(standing, $0, in: transaction) } ?? .nothing
    }

    /// - Returns: nil when a text that the index has is not known any more.
    private func follow(
        _ standing: SearchStanding, upTo head: Position, in transaction: Transaction
    ) throws -> Plan? {
        let span = min(head, Position(standing.followed.value + SearchLimits.sliceEntries))
        let entries = try transaction.log.messages(
            after: standing.followed, upTo: span, limit: SearchLimits.sliceMessages)
        let end = entries.count < SearchLimits.sliceMessages ? span : entries.last?.position ?? span
        var removed: [SearchEntry] = []
        var added: [Position: SearchEntry] = [:]
        var seen: Set<Position> = []
        for entry in entries {
            guard let message = try transaction.messages.searched(entry.n, in: entry.chat),
                seen.insert(message.position).inserted
            else { continue }
            if message.position <= standing.followed {
                // Not indexed: the walk has not come to it.
                guard let revision = try index.revision(of: message.position) else { continue }
                guard revision != message.revision else { continue }
                guard let past = try transaction.messages.searched(message, inRevision: revision) else { return nil }
                removed.append(message.entry(in: revision, text: past.text, title: past.title))
            }
            if !message.isDeleted { added[message.position] = message.entry }
        }
        var next = standing
        next.followed = end
        next.removed += Int64(removed.count)
        lag = head.value - end.value
        let isMore = lag > 0 || next.walk != nil
        return .change(
            next, removing: removed, adding: Array(added.values), walked: 0, then: isMore ? .more : .idle)
    }

    private func walk(
        _ standing: SearchStanding, _ walk: SearchStanding.Walk, in transaction: Transaction
    ) throws -> Plan {
        let messages = try transaction.messages.searched(
            afterChat: walk.chat, n: walk.n, limit: SearchLimits.walkMessages)
        var next = standing
        if let last = messages.last {
            next.walk?.chat = last.chat
            next.walk?.n = last.n
        }
        let isMore = messages.count == SearchLimits.walkMessages
        if !isMore { next.walk = nil }
        let added = messages.filter { !$0.isDeleted && $0.position <= walk.until }.map(\.entry)
        return .change(next, removing: [], adding: added, walked: messages.count, then: isMore ? .more : .built)
    }
}

@available(*, unavailable)
extension SearchIndexing: Sendable {}

extension SearchedMessage {
    fileprivate var entry: SearchEntry { entry(in: revision, text: text, title: title) }

    fileprivate func entry(in revision: Int64, text: String?, title: String?) -> SearchEntry {
        let words = [text, title].compactMap { $0.map { FoldedText($0).text } }.joined(separator: " ")
        return SearchEntry(position: position, chat: chat, n: n, revision: revision, words: words)
    }
}
