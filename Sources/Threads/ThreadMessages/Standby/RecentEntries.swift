import DequeModule
package import Journal

/// The newest entries of a primary, as many as fit into a number of bytes.
///
/// - Confinement: any
package struct RecentEntries: Sendable {
    private let bytesMax: Int
    private var entries: Deque<StandbyPage.Entry> = []
    private var bytes = 0
    /// The place before the oldest entry.
    private var start: JournalPlace

    /// - Parameter start: the place after which the first entry comes.
    package init(after start: JournalPlace, bytesMax: Int) {
        self.start = start
        self.bytesMax = bytesMax
    }

    /// The newest entry's place.
    package var last: JournalPlace { entries.last?.place ?? start }

    /// All of them, the oldest first.
    package var all: [StandbyPage.Entry] { Array(entries) }

    /// Adds the next entry; the oldest ones go for it.
    package mutating func append(_ entry: StandbyPage.Entry) {
        entries.append(entry)
        bytes += entry.byteCount
        while bytes > bytesMax, entries.count > 1, let oldest = entries.popFirst() {
            bytes -= oldest.byteCount
            start = oldest.place
        }
    }

    /// The entries that follow a place, at least one if there are any.
    ///
    /// - Parameter bytesMax: entries after the first that would make it more are left out.
    /// - Returns: nil when that place is not among those that are remembered: the entries after it are gone, or it belongs to
    ///   another history.
    package func entries(after place: JournalPlace, bytesMax: Int) -> [StandbyPage.Entry]? {
        guard let first = index(after: place) else { return nil }
        var (found, size): ([StandbyPage.Entry], Int) = ([], 0)
        for entry in entries[first...] {
            guard found.isEmpty || size + entry.byteCount <= bytesMax else { break }
            found.append(entry)
            size += entry.byteCount
        }
        return found
    }

    private func index(after place: JournalPlace) -> Int? {
        if place == start { return 0 }
        // The numbers have no gaps.
        guard let first = entries.first, place.sequence >= first.place.sequence,
            place.sequence - first.place.sequence < UInt64(entries.count)
        else { return nil }
        let index = Int(place.sequence - first.place.sequence)
        return entries[index].place == place ? index + 1 : nil
    }
}
