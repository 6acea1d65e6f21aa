import Client
import ClientProtocol
import JSON
import Model

/// What one client of a storm has got, held against what it must get: every message of its chat and every notice to
/// everyone, once, in order, as it was written.
struct StormLedger {
    /// How a delivery was not what it must be.
    enum Fault: Hashable, CaseIterable {
        case lost, doubled, altered
    }

    /// The begin of the title of a notice; its number follows.
    static let noticeTitle = "storm "

    /// The number of the last message; they come without gaps.
    private(set) var messages: Int64 = 0
    /// The number of the last notice.
    private(set) var notices: Int64 = 0
    private(set) var faults: [Fault: Int] = [:]
    /// Durable events, of any type.
    private(set) var durable = 0

    /// Enters an event; those that are no part of the storm count as durable and no more.
    mutating func receive(_ event: ClientEvent) {
        guard event.position != nil else { return }
        durable += 1
        switch event.name {
        case .message:
            guard let n = event.body["n"]?.integerValue else { return note(.altered) }
            if event.body["text"]?.stringValue != String(n) { note(.altered) }
            messages = advance(messages, to: n)
        case .notification:
            guard let title = event.body["title"]?.stringValue, title.hasPrefix(Self.noticeTitle) else { return }
            guard let number = Int64(title.dropFirst(Self.noticeTitle.count)) else { return note(.altered) }
            notices = advance(notices, to: number)
        case .some, nil: break
        }
    }

    /// A delivery whose position is not above the cursor.
    mutating func receiveAgain() { note(.doubled) }

    /// Compares with what was written and acknowledged.
    mutating func close(messages written: Int64, notices published: Int64) {
        note(.lost, Int(max(0, written - messages) + max(0, published - notices)))
        if messages > written || notices > published { note(.altered) }
    }

    /// - Returns: the number to go on from.
    private mutating func advance(_ last: Int64, to number: Int64) -> Int64 {
        if number <= last { note(.doubled) }
        if number > last + 1 { note(.lost, Int(clamping: number - last - 1)) }
        return max(last, number)
    }

    private mutating func note(_ fault: Fault, _ count: Int = 1) {
        if count > 0 { faults[fault, default: 0] += count }
    }
}
