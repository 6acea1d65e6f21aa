import EventLoop
import Fanout
import Mail
import Model

extension SessionIdentity {
    /// What a session does with a run.
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
    /// - Parameter isLast: whether nothing is expected behind it in this turn, so that it may leave at once.
    func take(_ run: PublicationRun, _ frames: inout CountFrames, isLast: Bool) -> Taken {
        let tcp = tcp
        // Changed aside and put back: what is changed in place is watched over while others are called.
        var moved = cursor
        guard isPlain, !run.isForPreferences || preferences == nil, !tcp.isCongested,
            moved.offer(from: run.first, through: run.last, count: run.publications.count, queuedBytes: 0)
        else { return moved.mode == .live && moved.position < run.last ? .singly : .nothing }
        cursor = moved
        if !run.notified.isEmpty, let told = tell(run.notified) {
            let bytes = frames.frames(of: run, told)
            isLast ? tcp.writeAtOnce(bytes) : tcp.write(bytes)
        } else {
            isLast ? tcp.writeAtOnce(run.frames) : tcp.write(run.frames)
        }
        return .whole
    }

    private func tell(_ notified: [Position]) -> UnreadCounts? {
        var changed = counts
        changed.addNotifications(at: notified)
        defer { counts = changed }
        return changed.tell()
    }
}
