import JSON
import Session

/// A list for one reader.
/// - Confinement: WatchWiseActor
@WatchWiseActor
final class LiveList {
    /// A snapshot as steps from the one before.
    struct Told {
        var changes: [ListChange]
        var isFromCache: Bool
        var isComplete: Bool
        var hasMore: Bool
        var error: WatchWiseError?

        /// Whether only the items may be others.
        func isLike(_ other: Told) -> Bool {
            isFromCache == other.isFromCache && isComplete == other.isComplete && hasMore == other.hasMore
                && error == other.error
        }
    }

    /// A frame of the screen: nobody sees what an application draws more often than that.
    static let frame = Duration.milliseconds(16)

    let source: any ListSource
    private weak var owner: (any ListOwner)?
    private var last: Told?
    private var toldAt = ContinuousClock.now - frame
    private var isChanged = true
    private var isClosed = false
    private var waiting: CheckedContinuation<Void, Never>?

    init(_ source: any ListSource, of owner: any ListOwner) {
        self.source = source
        self.owner = owner
    }

    /// Something changed: the source notes which rows are to be read.
    func changed(_ changes: Changes) {
        if source.note(changes) || changes.has(.outbox) || changes.has(.state) { change() }
    }

    /// Shows further rows.
    func grow(by count: Int) {
        source.grow(by: count)
        change()
    }

    private func change() {
        isChanged = true
        wake()
    }

    /// Ends the list for its reader.
    func close() {
        isClosed = true
        wake()
    }

    /// The next snapshot that differs from the last one; nil at the end. The first change after a while comes at once, and
    /// those within a frame after it together, when the frame is over.
    func next() async -> Told? {
        while !isClosed, !Task.isCancelled {
            let wait = toldAt + Self.frame - .now
            if isChanged, wait > .zero {
                try? await Task.sleep(for: wait)
            } else if isChanged {
                isChanged = false
                if let told = news() {
                    toldAt = .now
                    return told
                }
            } else {
                await withTaskCancellationHandler {
                    await withCheckedContinuation { waiting = $0 }
                } onCancel: {
                    Task { @WatchWiseActor in self.wake() }
                }
            }
        }
        return nil
    }

    private func wake() {
        waiting?.resume()
        waiting = nil
    }

    private func news() -> Told? {
        guard let owner else { return nil }
        do {
            let (changes, facts) = try source.update(owner)
            let isLive = owner.state == .live
            let told = Told(
                changes: changes, isFromCache: !isLive, isComplete: isLive && facts.isComplete && facts.error == nil,
                hasMore: facts.hasMore, error: facts.error)
            if let last, changes.isEmpty, told.isLike(last) { return nil }
            last = told
            last?.changes = []
            return told
        } catch {
            // The next change reads again.
            owner.engineFailed(error)
            return nil
        }
    }
}
