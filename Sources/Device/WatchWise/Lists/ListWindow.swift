import Foundation
import JSON
import Session

/// A list that an application can read, and the length that all of its readers see.
/// - Confinement: WatchWiseActor
@WatchWiseActor
final class ListWindow {
    /// The length of a list unless its caller says otherwise: the server's bound of a page.
    nonisolated static let itemsMax = 200

    private(set) var limit: Int
    private let makeSource: @Sendable @WatchWiseActor (any ListOwner, Int) -> any ListSource

    nonisolated init(
        limit: Int = itemsMax, _ makeSource: @escaping @Sendable @WatchWiseActor (any ListOwner, Int) -> any ListSource
    ) {
        self.limit = limit
        self.makeSource = makeSource
    }

    /// Its rows and items for one reader.
    func source(of owner: any ListOwner) -> any ListSource { makeSource(owner, limit) }

    /// Notes that its readers are to see more.
    func grow(by count: Int) { limit = limit.addingReportingOverflow(count).overflow ? .max : limit + count }
}

/// The lists of the library.
extension ListWindow {
    nonisolated static func chats(limit: Int) -> ListWindow {
        ListWindow(limit: limit) { WindowSource(.chats, of: $0, limit: $1) }
    }

    /// The newest messages of a chat, and those that wait. Missing ones are asked for.
    nonisolated static func messages(of chat: String, limit: Int) -> ListWindow {
        ListWindow(limit: limit) { owner, limit in
            let row = RowKey(.chats, chat)
            let filling = AskedGap()
            return WindowSource(
                .messages(chat), of: owner, limit: limit, depends: { $0.hasRow(.chats, row) || $0.has(.state) }
            ) { window, owner in
                let gaps = MessageGaps(try owner.store.read { try $0.row(row) }).ranges
                let first = window.rows.count == window.limit ? window.last?.integer("n") ?? 1 : 1
                let missing = gaps.last { $0.upperBound >= first }
                // Without a connection it is asked for as soon as there is one; what was answered without it is not asked again.
                if let missing, missing != filling.asked, owner.state == .live {
                    filling.asked = missing
                    owner.missingMessages.fetch(chat, missing, limit: window.limit) { filling.asked = nil }
                }
                var about = WindowSource.About()
                about.facts.isComplete = missing == nil
                about.facts.hasMore = gaps.contains { $0.lowerBound < first }
                return about
            }
        }
    }

    nonisolated static func inbox(limit: Int) -> ListWindow {
        ListWindow(limit: limit) { owner, limit in
            WindowSource(.inbox, of: owner, limit: limit, depends: { $0.has(.note("seenUpTo")) }) { _, owner in
                var about = WindowSource.About()
                about.context.seenUpTo = try owner.store.read { try $0.note("seenUpTo")?.integerValue ?? 0 }
                about.context.now = owner.serverTime.formatted(.server)
                return about
            }
        }
    }

    nonisolated static func unread() -> ListWindow { ListWindow { owner, _ in UnreadSource(of: owner) } }

    nonisolated static func topics(limit: Int) -> ListWindow {
        ListWindow(limit: limit) { owner, limit in
            WindowSource(
                .topics, of: owner, limit: limit,
                describe: { window, _ in
                    var about = WindowSource.About()
                    about.context.end = window.isMore ? window.last?.string("topic") : nil
                    return about
                })
        }
    }

    nonisolated static func invitations() -> ListWindow {
        ListWindow { _, _ in
            WholeSource(isTouched: { $0 == .note("invitations") }) { owner in
                let rows =
                    try owner.store.read { try $0.note("invitations") }?.arrayValue?.compactMap(\.objectValue) ?? []
                return WholeSource.Loaded { $0.invitations(rows, now: owner.serverTime.formatted(.server)) }
            }
        }
    }

    nonisolated static func preferences() -> ListWindow {
        ListWindow { _, _ in
            WholeSource(isTouched: { $0 == .note("preferences") }) { owner in
                let value = try owner.store.read { try $0.note("preferences") } ?? [:]
                return WholeSource.Loaded { [["value": $0.preferences(value)]] }
            }
        }
    }

    nonisolated static func outbox() -> ListWindow {
        ListWindow { _, _ in
            WholeSource(isTouched: { $0 == .outbox }) { _ in WholeSource.Loaded { $0.entries.map(\.json) } }
        }
    }

    nonisolated static func document(_ path: String) -> ListWindow {
        ListWindow { _, _ in
            WholeSource(paths: [path], isTouched: { $0 == .document(path) }) { owner in
                let rows = try owner.store.read { try $0.row(RowKey(.documents, path)) }.map { [$0] } ?? []
                return WholeSource.Loaded(facts: ListFacts(owner.watchState(path))) {
                    $0.documents(rows, at: path, isCollection: false)
                }
            }
        }
    }

    nonisolated static func collection(_ path: String, limit: Int) -> ListWindow {
        ListWindow(limit: limit) { owner, limit in
            WindowSource(
                .documents(path), of: owner, limit: limit, paths: [path], depends: { $0.has(.document(path)) }
            ) { window, owner in
                var about = WindowSource.About(facts: ListFacts(owner.watchState(path)))
                about.context.end = window.isMore ? window.last?.string("path") : nil
                return about
            }
        }
    }
}

/// The gap of a chat that a list asked for last.
/// - Confinement: WatchWiseActor
@WatchWiseActor
private final class AskedGap {
    var asked: ClosedRange<Int64>?
}

extension ListFacts {
    /// Those of a watched path.
    fileprivate init(_ state: (isComplete: Bool, error: WatchWiseError?)) {
        self.init(isComplete: state.isComplete, error: state.error)
    }
}

extension FormatStyle where Self == Date.ISO8601FormatStyle {
    /// As the server writes times: RFC 3339, UTC, milliseconds.
    static var server: Date.ISO8601FormatStyle { Date.ISO8601FormatStyle(includingFractionalSeconds: true) }
}
