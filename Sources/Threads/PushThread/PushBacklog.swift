import DequeModule
import Model
import Push
import Store

/// The pushes that are ready to be sent, by service, in the order in which they came; personal ones go before those of
/// topics. A value: times are parameters.
///
/// - Confinement: any
struct PushBacklog: Sendable {
    /// A push that waits for its turn.
    ///
    /// - Confinement: any
    struct Item: Sendable {
        /// The number of its errand.
        let errand: Int
        let aim: PushAim
        let material: PushMaterial
        let gone: PushGoneRows
        /// When it became ready, on a monotonic clock.
        let since: Int64
    }

    private struct Line: Sendable {
        var personal = Deque<Item>()
        var shared = Deque<Item>()

        var first: Item? { personal.first ?? shared.first }

        mutating func removeFirst() {
            if personal.popFirst() == nil { _ = shared.popFirst() }
        }
    }

    private var lines: [PushServiceName: Line] = [:]
    private(set) var count = 0

    var services: [PushServiceName] { Array(lines.keys) }

    mutating func add(_ item: Item, to service: PushServiceName) {
        count += 1
        if item.aim.job.isShared {
            lines[service, default: Line()].shared.append(item)
        } else {
            lines[service, default: Line()].personal.append(item)
        }
    }

    /// The push whose turn it is.
    func first(for service: PushServiceName) -> Item? { lines[service]?.first }

    mutating func removeFirst(of service: PushServiceName) {
        lines[service]?.removeFirst()
        count -= 1
        if lines[service]?.first == nil { lines[service] = nil }
    }
}
