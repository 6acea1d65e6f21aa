import DequeModule
import Model
import ThreadMessages

/// Pages of the log that wait for another turn of their loop, in the order in which they came.
///
/// A reader's pages come together. If hundreds of devices read on at once, their loop would write tens of megabytes
/// before anybody else has a turn.
///
/// - Confinement: loop
struct LatePages<Page> {
    private var pages = Deque<(address: ConnectionAddress, page: Page)>()
    /// Bytes of pages that were written in this turn.
    private var written = 0

    /// Whether one more page may be written now.
    var mayWrite: Bool { pages.isEmpty && written < Limits.pageBytesPerTurnMax }

    var isEmpty: Bool { pages.isEmpty }

    mutating func append(_ address: ConnectionAddress, _ page: Page) { pages.append((address, page)) }

    /// Takes the next one, as long as there is room in this turn.
    mutating func takeNext() -> (address: ConnectionAddress, page: Page)? {
        written < Limits.pageBytesPerTurnMax ? pages.popFirst() : nil
    }

    /// A page was written.
    ///
    /// - Parameter bytes: of what it became.
    mutating func wrote(_ bytes: Int) { written += bytes }

    mutating func beginTurn() { written = 0 }
}
