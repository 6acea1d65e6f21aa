import Model
import ThreadMessages

/// The messages of this node about its users: changes, collected for a moment, and from time to time the list of all,
/// spread over messages. A value: times are parameters.
///
/// - Confinement: any
struct OwnPresence: Sendable {
    private let boot: Int64
    private var table = PresenceTable()
    /// The users whose sessions have changed since the last message about changes.
    private var changed: [StreamID: Person] = [:]
    private var number: Int64 = 0
    private var changesAt = Int64.min
    private var saidAt = Int64.min
    /// When the next list begins, and the first bucket that is still to be sent of the present one.
    private var listAt = Int64.min
    private var nextBucket: Int?
    private var partAt = Int64.min
    private var listBeganAt = Int64.min

    /// - Parameter boot: the run of this process.
    init(boot: Int64) { self.boot = boot }

    /// A session of a user has begun (1) or ended (-1).
    mutating func note(_ person: Person, _ change: Int) {
        table.set(UserSessions(person, max(0, table.sessions(of: person.id) + change)))
        changed[person.id] = person
    }

    /// There are nodes that need the list soon: one has appeared, or this one was cut off from all.
    mutating func hurryList(at now: Int64) {
        guard nextBucket == nil else {
            // The list under way may have begun before that node could hear it.
            nextBucket = 0
            return
        }
        listAt = min(listAt, max(now, Self.after(listBeganAt, SignalLimits.listAgainMilliseconds)))
    }

    /// The messages for this moment.
    mutating func due(at now: Int64, _ time: Timestamp) -> [NodePresence] {
        var contents: [NodePresence.Content] = []
        if !changed.isEmpty, now >= Self.after(changesAt, SignalLimits.presencePauseMilliseconds) {
            contents += takeChanges()
            changesAt = now
        }
        if nextBucket == nil, now >= listAt {
            (nextBucket, listBeganAt) = (0, now)
            listAt = now + SignalLimits.listMilliseconds
        }
        if let first = nextBucket, now >= Self.after(partAt, SignalLimits.listPauseMilliseconds) {
            contents.append(part(from: first))
            partAt = now
        }
        if contents.isEmpty, now >= Self.after(saidAt, SignalLimits.stillThereMilliseconds) {
            contents = [.changes([])]
        }
        if !contents.isEmpty { saidAt = now }
        return contents.map { message($0, time) }
    }

    /// The last message of this run.
    mutating func goodbye(_ time: Timestamp) -> NodePresence { message(.goodbye, time) }

    private mutating func message(_ content: NodePresence.Content, _ time: Timestamp) -> NodePresence {
        number += 1
        return NodePresence(boot: boot, number: number, at: time, content)
    }

    private mutating func takeChanges() -> [NodePresence.Content] {
        var (messages, users, bytes): ([NodePresence.Content], [UserSessions], Int) = ([], [], 0)
        for person in changed.values {
            let user = UserSessions(person, table.sessions(of: person.id))
            if !users.isEmpty, bytes + user.bytesMax > SignalLimits.messageBytesMax {
                messages.append(.changes(users))
                (users, bytes) = ([], 0)
            }
            users.append(user)
            bytes += user.bytesMax
        }
        changed = [:]
        return messages + [.changes(users)]
    }

    /// As many buckets as a message has room for, at least one.
    private mutating func part(from first: Int) -> NodePresence.Content {
        var (next, users, bytes): (Int, [UserSessions], Int) = (first, [], 0)
        while next < PresenceTable.bucketCount {
            let bucket = table.users(in: next..<next + 1)
            bytes += bucket.reduce(0) { $0 + $1.bytesMax }
            guard next == first || bytes <= SignalLimits.messageBytesMax else { break }
            users += bucket
            next += 1
        }
        nextBucket = next < PresenceTable.bucketCount ? next : nil
        return .list(buckets: first..<next, users)
    }

    private static func after(_ time: Int64, _ milliseconds: Int64) -> Int64 {
        time == .min ? .min : time + milliseconds
    }
}
