import EventLoop
import Fanout
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
    func take(_ run: PublicationRun, _ frames: inout CountFrames) -> Taken {
        guard cursor.mode == .live else { return .nothing }
        guard isPlain, !run.isForPreferences || preferences == nil,
            cursor.offer(
                from: run.first, through: run.last, count: run.publications.count,
                queuedBytes: tcp.isCongested ? Limits.queuedBytesMax : 0)
        else { return cursor.position < run.last ? .singly : .nothing }
        var bytes = run.frames
        if !run.notified.isEmpty {
            counts.addNotifications(at: run.notified)
            if let told = counts.tell() { bytes = frames.frames(of: run, told) }
        }
        tcp.write(bytes)
        return .whole
    }
}
