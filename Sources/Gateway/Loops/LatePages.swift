import DequeModule
import EventLoop
import Mail
import Model

/// Pages of the log that wait for another turn of their loop, in the order in which they came.
///
/// A reader's pages come together, and hundreds of devices that read on at once would have their loop write tens of
/// megabytes before anybody else's turn.
///
/// - Confinement: loop
struct LatePages<Page> {
    private var pages = Deque<(address: ConnectionAddress, page: Page)>()
    /// Bytes of pages that were written in this turn.
    private var written = 0

    /// Whether one more is to be told now.
    var mayTell: Bool { pages.isEmpty && written < Limits.pageBytesPerTurnMax }

    var isEmpty: Bool { pages.isEmpty }

    mutating func append(_ address: ConnectionAddress, _ page: Page) { pages.append((address, page)) }

    /// Takes the next one, as long as there is room in this turn.
    mutating func takeNext() -> (address: ConnectionAddress, page: Page)? {
        written < Limits.pageBytesPerTurnMax ? pages.popFirst() : nil
    }

    /// A page was told in so many bytes.
    mutating func told(_ bytes: Int) { written += bytes }

    mutating func beginTurn() { written = 0 }
}

extension LoopServer {
    /// A further page of the log has come from a reader.
    func arrived(_ reading: SessionReading, for address: ConnectionAddress) {
        if latePages.mayTell {
            tell(reading, at: address)
        } else {
            latePages.append(address, reading)
            latePageTimer?.start(afterMilliseconds: 0)
        }
    }

    /// Tells those pages that waited for this turn, as many as fit.
    func tellLatePages() {
        while let (address, reading) = latePages.takeNext() { tell(reading, at: address) }
        if !latePages.isEmpty { latePageTimer?.start(afterMilliseconds: 0) }
    }

    private func tell(_ reading: SessionReading, at address: ConnectionAddress) {
        guard let connection = connection(at: address) else { return }
        let before = connection.tcp.queuedBytes
        connection.withSession { $0.readOn(reading) }
        latePages.told(max(0, connection.tcp.queuedBytes - before))
        wasTurnHeavy = true
    }
}
