import EventLoop
import Foundation
import Model

/// Tells on the terminal what happens, and counts it.
///
/// - Confinement: loop
final class DemoNarrator {
    /// What is counted for the summary.
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
    private let hasColour = Terminal.hasColour
    private var counts: [Count: Int64] = [:]

    init(on loop: Loop) {
        self.loop = loop
        start = loop.now
    }

    /// Somebody did something.
    func tell(_ who: String, _ what: String, _ count: Count) {
        counts[count, default: 0] += 1
        Terminal.line("\(time)  \(bold(Self.filled(who, 8)))  \(what)")
    }

    /// A notification, as the device of somebody shows it.
    ///
    /// - Parameter manner: how it comes: its level, or that it is quiet.
    func show(_ title: String, _ body: String, on person: DemoPerson, manner: String? = nil) {
        counts[.notification, default: 0] += 1
        let text = body.isEmpty ? title : "\(title) | \(body)"
        say(text + (manner.map { " (\($0))" } ?? ""), on: person)
    }

    /// A notification goes from the device of somebody.
    func withdraw(_ title: String, from person: DemoPerson, reason: String) {
        counts[.withdrawal, default: 0] += 1
        say("gone: \(title) (\(reason))", on: person)
    }

    private func say(_ text: String, on person: DemoPerson) {
        let place = Self.filled("\(person.name)'s phone", 14)
        Terminal.line(dim("\(Self.filled("", 20))\(place) [\(person.locale.text)]  \(text)"))
    }

    /// Something went wrong.
    func complain(_ text: String) {
        Terminal.error(text)
    }

    /// All of it in one sentence.
    var summary: String {
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

    private func bold(_ text: String) -> String { hasColour ? "\u{1b}[1m\(text)\u{1b}[0m" : text }
    private func dim(_ text: String) -> String { hasColour ? "\u{1b}[2m\(text)\u{1b}[0m" : text }

    private static func filled(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}

@available(*, unavailable)
extension DemoNarrator: Sendable {}
