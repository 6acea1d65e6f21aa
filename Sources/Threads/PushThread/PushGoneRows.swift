import Model
import Push
import Store

/// The entries that are to be taken back from one device, with the tags by which the device knows them.
///
/// - Confinement: any
struct PushGoneRows: Sendable, Hashable {
    struct Row: Sendable, Hashable {
        let id: Int64
        /// Nil when the log does not have the notification any more: then nobody can take it back.
        let tag: PushTag?
    }

    /// The oldest first.
    let rows: [Row]
    /// The tag of the push that they ride on: it replaces what had the same tag.
    let ownTag: PushTag?

    init(_ rows: [Row] = [], beside ownTag: PushTag? = nil) {
        self.rows = rows
        self.ownTag = ownTag
    }

    /// The tags to name, each once, the newest first: only the first of them are sent.
    var tags: [PushTag] {
        var known: Set<PushTag> = []
        return rows.reversed().compactMap(\.tag).filter { $0 != ownTag && known.insert($0).inserted }
    }

    /// The rows that are over when a push that named these tags was taken.
    func rows(namedBy tags: [PushTag]) -> [Int64] {
        let named = Set(tags)
        return rows.filter { row in row.tag.map { named.contains($0) || $0 == ownTag } ?? true }.map(\.id)
    }
}
