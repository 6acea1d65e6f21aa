import ClientProtocol
import Fanout
import Model
import Services

/// Something that a session watches: a document, or the documents of a collection.
///
/// - Confinement: any
struct DocumentWatch: Sendable {
    let path: WatchedPath
    let stream: WatchedStream
    /// The stream of the topic that the path names; nil when it had never been followed.
    let topic: StreamID?
    /// Whether it is allowed only while the user follows that topic.
    var isWhileFollowing: Bool
    /// Keeps the path's stream while it is watched.
    let interest: WatchedPaths.Interest
}

/// A `watch` on its way: a reader is asked what is there; then the answer waits until the loop has delivered as much.
///
/// - Confinement: any
struct PendingWatch: Sendable {
    let id: RequestID?
    let command: WatchCommand
    /// Keeps the path's stream from before it is read.
    let interest: WatchedPaths.Interest
    /// Whether it waits until the node has what the client has seen on another one.
    var awaitsHead = false
    /// Nil until the reader has answered.
    var snapshot: WatchSnapshot?

    /// Whether a document belongs to the page that was read.
    func admits(_ document: String, _ snapshot: WatchSnapshot) -> Bool {
        command.after.map { document > $0 } ?? true && snapshot.through.map { document <= $0 } ?? true
    }
}

/// The watches of one session, and the one that is being started.
///
/// - Confinement: loop
struct DocumentWatches {
    /// The state that a session has from its first watch on; most sessions have none.
    ///
    /// - Confinement: loop
    private final class Content {
        var byStream: [StreamID: DocumentWatch] = [:]
        var pending: PendingWatch?
        /// The paths that a stream without commands is still to watch, the last first.
        var asked: [WatchedPath] = []
        /// Only what has changed of it since then is wanted.
        var askedSince: ResumePoint?
        /// Counts watches that ended.
        var ended = 0
        /// ``ended`` when a page of the log was asked for.
        var endedAtPage = 0
    }

    private var content: Content?

    /// The watches, by stream.
    var byStream: [StreamID: DocumentWatch] { content?.byStream ?? [:] }

    /// A session begins one at a time: commands after a read wait for it.
    var pending: PendingWatch? {
        get { content?.pending }
        set {
            guard content != nil || newValue != nil else { return }
            withContent { $0.pending = newValue }
        }
    }

    /// Bytes of the watch that is on its way, and of watches beyond those that every session may have. One that is only
    /// asked for counts like one that is there, which it becomes.
    var heldBytes: Int {
        guard let content else { return 0 }
        let beyond = max(0, content.byStream.count + content.asked.count - DocumentLimits.watchesFree)
        return (content.pending?.snapshot?.bytes ?? 0) + beyond * DocumentLimits.watchBytes
    }

    /// Keeps what a stream without commands asks for at its start.
    mutating func ask(_ paths: [WatchedPath], since: ResumePoint? = nil) {
        withContent {
            $0.asked = paths.reversed()
            $0.askedSince = since
        }
    }

    /// The next of what was asked for, which is to be watched now.
    func takeAsked() -> (WatchedPath, since: ResumePoint?)? {
        guard let content, let path = content.asked.popLast() else { return nil }
        // Nothing is asked for again: its room is given back.
        if content.asked.isEmpty { content.asked = [] }
        return (path, content.askedSince)
    }

    /// A page of the log is asked for, with the changes of what is watched now.
    func askedForPage() {
        if let content { content.endedAtPage = content.ended }
    }

    /// Whether nothing ended since a page was asked for: all that it holds may be sent.
    var isPageAllowed: Bool { content.map { $0.endedAtPage == $0.ended } ?? true }

    private mutating func withContent<Result>(_ body: (Content) -> Result) -> Result {
        let content = self.content ?? Content()
        self.content = content
        return body(content)
    }

    /// The watches as the reader of the log needs them.
    var streams: [WatchedStream] { byStream.values.map(\.stream) }

    /// Whether a change is part of something that is watched.
    func admit(_ publication: Publication) -> Bool {
        guard let byStream = content?.byStream, !byStream.isEmpty, let document = publication.document else {
            return false
        }
        if let watch = byStream[publication.stream], watch.stream.admits(document.path.id) { return true }
        return publication.secondStream.map { byStream[$0] != nil } ?? false
    }

    /// Whether changes of documents are part of something that is watched; nil when only some of them are.
    func admit(_ run: PublicationRun) -> Bool? {
        guard let byStream = content?.byStream else { return false }
        // The second stream is that of one document, which all of them change.
        if let second = run.secondStream, byStream[second] != nil { return true }
        guard let watch = byStream[run.stream] else { return false }
        if watch.stream.through == nil { return true }
        let admitted = run.publications.count { admit($0.publication) }
        return admitted == 0 ? false : admitted == run.publications.count ? true : nil
    }

    /// The watch of a path.
    func find(_ path: WatchedPath) -> DocumentWatch? { byStream.values.first { $0.path == path } }

    /// Begins a watch, or replaces the one of the same stream.
    ///
    /// - Returns: whether it is a new one.
    mutating func add(_ watch: DocumentWatch) -> Bool {
        withContent { $0.byStream.updateValue(watch, forKey: watch.stream.stream) == nil }
    }

    /// Under which condition the watch of a stream is allowed from now on.
    func setWhileFollowing(_ isWhileFollowing: Bool, _ stream: StreamID) {
        content?.byStream[stream]?.isWhileFollowing = isWhileFollowing
    }

    /// Ends a watch.
    func remove(_ stream: StreamID) {
        content?.byStream[stream] = nil
        content?.ended += 1
    }
}
