import Model

/// For whom something is done, where many want something at once.
///
/// - Confinement: any
enum FairLane: Sendable, Hashable {
    /// One user, over all connections.
    case user(ObjectIdentifier)
    /// One connection, of nobody who has an account: an administrator's, or one that only begins.
    case connection(ConnectionAddress)
    /// The server itself.
    case server

    init(_ account: UserAccount?, _ address: ConnectionAddress?) {
        self =
            if let account { .user(ObjectIdentifier(account)) } else if let address { .connection(address) } else {
                .server
            }
    }
}

/// What waits for a thread that cannot do all of it at once: each lane in its order, and one lane after the other.
///
/// So who wants much waits for that, and who wants little does not wait for others' much.
///
/// - Confinement: any
struct FairQueue<Element> {
    private struct Lane {
        var elements: [Element]
        var first = 0

        var isEmpty: Bool { first == elements.count }

        mutating func takeFirst() -> Element {
            let element = elements[first]
            first += 1
            if first >= 64, first * 2 >= elements.count {
                elements.removeFirst(first)
                first = 0
            }
            return element
        }

        mutating func putBack(_ element: Element) {
            if first > 0 {
                first -= 1
                elements[first] = element
            } else {
                elements.insert(element, at: 0)
            }
        }
    }

    private var lanes: [FairLane: Lane] = [:]
    /// The lanes in the order of their turns, from `firstTurn` on; each stands here once.
    private var turns: [FairLane] = []
    private var firstTurn = 0
    /// What waits.
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    mutating func append(_ element: Element, to lane: FairLane) {
        count += 1
        if lanes[lane]?.elements.append(element) == nil {
            lanes[lane] = Lane(elements: [element])
            turns.append(lane)
        }
    }

    /// Takes what is next; nil when nothing waits.
    mutating func next() -> Element? {
        guard firstTurn < turns.count else { return nil }
        let lane = turns[firstTurn]
        firstTurn += 1
        if firstTurn >= 64, firstTurn * 2 >= turns.count {
            turns.removeFirst(firstTurn)
            firstTurn = 0
        }
        count -= 1
        guard let element = lanes[lane]?.takeFirst() else { return nil }
        if lanes[lane]?.isEmpty == true { lanes[lane] = nil } else { turns.append(lane) }
        return element
    }

    /// Puts back what was taken last and could not be done, in the order in which it was taken.
    mutating func putBack(_ elements: ArraySlice<Element>, lane: (Element) -> FairLane) {
        for element in elements.reversed() {
            count += 1
            let lane = lane(element)
            if lanes[lane]?.putBack(element) == nil {
                lanes[lane] = Lane(elements: [element])
                turns.insert(lane, at: firstTurn)
            }
        }
    }
}
