import Console
import EventLoop
import Model

/// Prints what happens, and counts it.
///
/// - Confinement: loop
package final class DemoNarrator {
    /// The numbers of the summary.
    enum Count: Int, CaseIterable {
        case recommendation, seen, message, follow, release, review, change, notification, withdrawal

        var names: (one: String, many: String) {
            switch self {
            case .recommendation: ("recommendation", "recommendations")
            case .seen: ("seen", "seen")
            case .message: ("message", "messages")
            case .follow: ("new follower", "new followers")
            case .release: ("release", "releases")
            case .review: ("review", "reviews")
            case .change: ("change", "changes")
            case .withdrawal: ("notification withdrawn", "notifications withdrawn")
            case .notification: ("notification on a phone", "notifications on phones")
            }
        }
    }

    private let loop: Loop
    private let start: Int64
    private var counts: [Count: Int64] = [:]

    init(on loop: Loop) {
        self.loop = loop
        start = loop.now
    }

    /// Reports a person's action.
    func tell(_ who: String, _ what: String, _ count: Count) {
        counts[count, default: 0] += 1
        Terminal.line("\(time)  \(Terminal.bold(Self.filled(who, 8)))  \(what)")
    }

    /// Reports a notification on a person's device.
    ///
    /// - Parameter manner: Its level, or that it is silent.
    func show(_ title: String, _ body: String, on person: DemoPerson, manner: String? = nil) {
        counts[.notification, default: 0] += 1
        let text = body.isEmpty ? title : "\(title) | \(body)"
        say(text + (manner.map { " (\($0))" } ?? ""), on: person)
    }

    /// Reports that a notification disappears from a person's device.
    func withdraw(_ title: String, from person: DemoPerson, reason: String) {
        counts[.withdrawal, default: 0] += 1
        say("gone: \(title) (\(reason))", on: person)
    }

    private func say(_ text: String, on person: DemoPerson) {
        let place = Self.filled("\(person.name)'s phone", 14)
        Terminal.line(Terminal.dim("\(Self.filled("", 20))\(place) [\(person.locale.text)]  \(text)"))
    }

    /// Reports a failure.
    func complain(_ text: String) {
        Terminal.error(text)
    }

    /// The whole count in one sentence.
    package var summary: String {
        let parts = Count.allCases.compactMap { count in
            counts[count].map { $0.counted(count.names.one, count.names.many) }
        }
        let seconds = (loop.now - start) / 1000
        return "in \(seconds) s: " + (parts.isEmpty ? "nothing happened" : parts.joined(separator: ", "))
    }

    private var time: String {
        let tenths = (loop.now - start) / 100
        let text = "\(tenths / 10).\(tenths % 10) s"
        return String(repeating: " ", count: max(0, 8 - text.count)) + text
    }

    private static func filled(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}

@available(*, unavailable)
extension DemoNarrator: Sendable {}
