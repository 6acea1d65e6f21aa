import ClientProtocol
import JSON
import Model
import Session

/// The events of one client of a storm, compared with the expected ones: every message of its chat and every notice to
/// everyone, once, in order, with its text.
struct StormLedger {
    /// The ways in which a delivery can be wrong.
    enum Fault: Hashable, CaseIterable {
        case lost, doubled, altered
    }

    /// The beginning of a notice's title; the number follows.
    static let noticeTitle = "storm "

    /// The number of the last message; there are no gaps.
    private(set) var messages: Int64 = 0
    /// The number of the last notice.
    private(set) var notices: Int64 = 0
    private(set) var faults: [Fault: Int] = [:]
    /// Durable events of any type.
    private(set) var durable = 0

    /// Records an event; events that are not part of the storm only count as durable.
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

    /// Records a delivery whose position is not above the cursor.
    mutating func receiveAgain() { note(.doubled) }

    /// Compares with the written and acknowledged numbers.
    mutating func close(messages written: Int64, notices published: Int64) {
        note(.lost, Int(max(0, written - messages) + max(0, published - notices)))
        if messages > written || notices > published { note(.altered) }
    }

    /// - Returns: the number after which to continue.
    private mutating func advance(_ last: Int64, to number: Int64) -> Int64 {
        if number <= last { note(.doubled) }
        if number > last + 1 { note(.lost, Int(clamping: number - last - 1)) }
        return max(last, number)
    }

    private mutating func note(_ fault: Fault, _ count: Int = 1) {
        if count > 0 { faults[fault, default: 0] += count }
    }
}
