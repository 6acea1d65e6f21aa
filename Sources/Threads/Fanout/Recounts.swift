package import Model

/// The counts that the sessions of one loop wait for, after something was removed from a stream that many read.
///
/// A reader counts once for each user, however much was removed in a commit and however many sessions of the user wait.
/// Its answer is as of its snapshot, which holds every commit that the loop had received when it asked. Notifications
/// that the loop delivers after the snapshot are noted here, once for all sessions, and added to the answer. If more was
/// removed after the snapshot, the reader is asked again.
///
/// - Confinement: loop
package struct Recounts {
    /// Users whose counts are being read, or are to be read again, each with the newest position at which something was
    /// removed.
    private var wanted: [StreamID: Position] = [:]
    /// Those of them whose counts could not be read.
    private var failed: [StreamID] = []

    /// Notifications delivered after ``from``, by stream, in ascending order.
    private var notified: [StreamID: [Position]] = [:]
    private var notifiedCount = 0
    /// Those of them that lie in several streams, or are not for all readers of their stream.
    private var shared: [Position: PublicationReach] = [:]
    private var from = Position.zero
    private var newest = Position.zero

    package init() {}

    /// Whether nobody waits.
    package var isEmpty: Bool { wanted.isEmpty }

    /// Something that the user reads was removed at a position.
    ///
    /// - Parameter head: up to where everything was delivered before the commit that is being delivered.
    /// - Returns: whether a reader is to be asked; if not, one has been.
    package mutating func want(_ user: StreamID, at position: Position, head: Position) -> Bool {
        if wanted.isEmpty { from = head }
        guard let earlier = wanted[user] else {
            wanted[user] = position
            return true
        }
        wanted[user] = max(earlier, position)
        return false
    }

    /// Notifications were delivered to those who read a stream; needed only while somebody waits.
    package mutating func note(_ positions: [Position], in stream: StreamID) {
        guard let last = positions.last else { return }
        notified[stream, default: []] += positions
        notifiedCount += positions.count
        newest = last
        guard notifiedCount > Limits.recountNotedMax else { return }
        // A snapshot before this is too old now; the next one is not.
        forgetNotified()
        from = last
    }

    /// A notification was delivered to those who read its streams.
    package mutating func note(_ publication: Publication) {
        let position = publication.position
        note([position], in: publication.stream)
        guard let reach = publication.reach, from < position else { return }
        for stream in reach.others { notified[stream, default: []].append(position) }
        shared[position] = reach
    }

    private mutating func forgetNotified() {
        notified = [:]
        notifiedCount = 0
        shared = [:]
    }

    /// Whether counts as of a snapshot contain all removals that concern the user, and all notifications after it were noted.
    package func isEnough(_ user: StreamID, asOf snapshot: Position) -> Bool {
        guard let position = wanted[user] else { return false }
        return snapshot >= position && snapshot >= from
    }

    /// How many notifications were delivered to a user after a snapshot in the streams that a session reads besides its
    /// inbox.
    ///
    /// - Parameter zone: the name of the user's time zone.
    package func count(
        after snapshot: Position, in streams: [StreamID], of user: StreamID, zone: @autoclosure () -> String
    ) -> Int {
        guard newest > snapshot, notifiedCount > 0 else { return 0 }
        guard shared.isEmpty else {
            let all = ([.everyone] + streams).flatMap { stream in
                notified[stream]?.reversed().prefix { $0 > snapshot }.map { $0 } ?? []
            }
            return Set(all).count { position in
                guard let reach = shared[position] else { return true }
                return reach.isFor(user, in: zone()) && !reach.told.contains(where: streams.contains)
            }
        }
        return streams.reduce(count(after: snapshot, in: .everyone)) { $0 + count(after: snapshot, in: $1) }
    }

    private func count(after snapshot: Position, in stream: StreamID) -> Int {
        notified[stream]?.reversed().prefix { $0 > snapshot }.count ?? 0
    }

    /// The user's sessions have their counts, or are gone.
    package mutating func done(_ user: StreamID) {
        wanted[user] = nil
        if wanted.isEmpty { forgetNotified() }
    }

    /// The counts could not be read; they are asked for again a little later.
    package mutating func failed(_ user: StreamID) {
        if wanted[user] != nil { failed.append(user) }
    }

    /// Takes out those to be asked for again.
    package mutating func takeFailed() -> [StreamID] {
        defer { failed = [] }
        return failed
    }
}
