import Journal
import Testing
@testable import ThreadMessages

/// The entries that a primary keeps for its standby, and the form in which they travel.
struct RecentEntriesTests {
    private func entry(_ sequence: UInt64, term: UInt64 = 7, bytes: Int = 10) -> StandbyPage.Entry {
        StandbyPage.Entry(
            place: JournalPlace(sequence: sequence, term: term), parts: [[UInt8](repeating: 1, count: bytes), [2, 3]])
    }

    private func place(_ sequence: UInt64, _ term: UInt64 = 7) -> JournalPlace {
        JournalPlace(sequence: sequence, term: term)
    }

    @Test func `a page is read as it was written, and a part of a page is refused`() throws {
        var page = StandbyPage()
        page.last = 12
        page.isEnded = true
        page.entries = [entry(11), entry(12, bytes: 300)]
        #expect(StandbyPage(page.bytes) == page)
        for count in page.bytes.indices {
            #expect(StandbyPage(Array(page.bytes.prefix(count))) == nil, "\(count) bytes")
        }
        #expect(StandbyPage(page.bytes + [0]) == nil)
    }

    @Test func `entries follow a place that is known exactly`() {
        var recent = RecentEntries(after: place(3, 5), bytesMax: 10_000)
        #expect(recent.last == place(3, 5))
        for number in 4...8 { recent.append(entry(UInt64(number))) }
        #expect(recent.entries(after: place(3, 5), bytesMax: 10_000)?.count == 5)
        #expect(recent.entries(after: place(6), bytesMax: 10_000)?.map(\.place.sequence) == [7, 8])
        #expect(recent.entries(after: place(8), bytesMax: 10_000)?.isEmpty == true)
        for unknown in [place(2), place(3), place(6, 6), place(9)] {
            #expect(recent.entries(after: unknown, bytesMax: 10_000) == nil)
        }
        #expect(recent.entries(after: place(4), bytesMax: 1)?.count == 1)
    }

    @Test func `the oldest go when there are too many bytes, and the newest stays`() {
        var recent = RecentEntries(after: place(0), bytesMax: 400)
        for number in 1...20 { recent.append(entry(UInt64(number))) }
        #expect(recent.entries(after: place(0), bytesMax: 10_000) == nil)
        #expect(recent.all.count == 5)
        #expect(recent.entries(after: place(15), bytesMax: 10_000)?.count == 5)
        recent.append(entry(21, bytes: 5000))
        #expect(recent.all.map(\.place.sequence) == [21])
    }
}
