import EventLoop
import Fanout
import Model
import ThreadMessages

extension SessionIdentity {
    /// The result of giving a run to a session.
    enum Taken {
        /// All of it was written.
        case whole
        /// Its publications are to be offered one by one: they differ for this reader, or only some of them are new.
        case singly
        /// Nothing: it has it, or will read it from the log.
        case nothing
    }

    /// A run was committed in a stream that this session is subscribed to.
    ///
    /// - Parameter isLast: whether nothing is expected after it in this turn, so that it may leave at once.
    func take(_ run: PublicationRun, _ frames: inout CountFrames, isLast: Bool) -> Taken {
        if run.isOfDocuments {
            guard let isAdmitted = watches.admit(run) else { return .singly }
            if !isAdmitted { return .nothing }
        }
        let tcp = tcp
        // Changed aside and put back: Swift checks exclusive access to a field that is changed in place while others are
        // called.
        var moved = cursor
        guard isPlain, !run.isForPreferences || preferences == nil, !tcp.isCongested,
            run.messages == nil || !counts.isRecountOwed,
            moved.offer(from: run.first, through: run.last, count: run.publications.count, queuedBytes: 0)
        else { return moved.mode == .live && moved.position < run.last ? .singly : .nothing }
        cursor = moved
        if !run.notified.isEmpty, let news = count(run.notified) {
            let bytes = frames.frames(of: run, news)
            isLast ? tcp.writeAtOnce(bytes) : tcp.write(bytes)
        } else if let messages = run.messages, let news = count(messages, in: run.stream) {
            let bytes = frames.frames(of: run, news)
            isLast ? tcp.writeAtOnce(bytes) : tcp.write(bytes)
        } else {
            isLast ? tcp.writeAtOnce(run.frames) : tcp.write(run.frames)
        }
        return .whole
    }

    private func count(_ notified: [Position]) -> UnreadCounts? {
        var changed = counts
        changed.addNotifications(at: notified)
        defer { counts = changed }
        return changed.takeNews()
    }

    private func count(_ messages: RoomMessages, in room: StreamID) -> UnreadCounts? {
        guard let person, let position = messages.firstUnread(for: person.id), setUnread(room, true) else { return nil }
        counts.addChats(1, at: position)
        return counts.takeNews()
    }
}
