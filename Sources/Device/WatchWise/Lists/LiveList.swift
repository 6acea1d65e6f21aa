import JSON
import Session

/// The origin of a list's rows, and the way in which it shows them.
struct ListSource: Sendable {
    /// Rows as the store has them.
    struct Loaded {
        var rows: [JSONObject]
        /// Whether no row is missing, as far as the store knows.
        var isComplete = true
        var error: WatchWiseError?
        /// Lays the writes that wait over the rows.
        var show: (Overlay) -> [JSONObject]
    }

    /// Whether a change of this name may change its rows.
    let isTouched: @Sendable (ChangedName) -> Bool
    /// Watched documents that it needs.
    var paths: Set<String> = []
    /// The chat that is on the screen while somebody reads this list.
    var chat: String?
    let load: @Sendable @WatchWiseActor (Device) throws -> Loaded
}

/// A list for one reader.
/// - Confinement: WatchWiseActor
@WatchWiseActor
final class LiveList {
    /// A snapshot whose items are rows.
    struct Told {
        var items: [JSONObject]
        var changes: [ListChange] = []
        var isFromCache: Bool
        var isComplete: Bool
        var error: WatchWiseError?
    }

    let source: ListSource
    private weak var device: Device?
    private var loaded: ListSource.Loaded?
    private var last: Told?
    private var isChanged = true
    private var isClosed = false
    private var waiting: CheckedContinuation<Void, Never>?

    init(_ source: ListSource, of device: Device) {
        self.source = source
        self.device = device
    }

    /// Something changed: rows are read again only if they may be others.
    func changed(_ names: Set<ChangedName>) {
        if names.contains(where: { $0 == .everything || source.isTouched($0) }) {
            loaded = nil
        } else if !names.contains(.outbox), !names.contains(.state) {
            return
        }
        isChanged = true
        wake()
    }

    /// Ends the list for its reader.
    func close() {
        isClosed = true
        wake()
    }

    /// The next snapshot that differs from the last one; nil at the end.
    func next() async -> Told? {
        while !isClosed, !Task.isCancelled {
            if isChanged {
                isChanged = false
                if let told = news() { return told }
                continue
            }
            await withTaskCancellationHandler {
                await withCheckedContinuation { waiting = $0 }
            } onCancel: {
                Task { @WatchWiseActor in self.wake() }
            }
        }
        return nil
    }

    private func wake() {
        waiting?.resume()
        waiting = nil
    }

    private func news() -> Told? {
        guard let device else { return nil }
        do {
            if loaded == nil { loaded = try source.load(device) }
        } catch {
            device.engineFailed(error)
            return nil
        }
        guard let loaded else { return nil }
        let items = loaded.show(Overlay(user: device.user, entries: device.entries))
        let isLive = device.state == .live
        var told = Told(
            items: items, isFromCache: !isLive, isComplete: isLive && loaded.isComplete && loaded.error == nil,
            error: loaded.error)
        told.changes = ListChange.steps(from: last?.items ?? [], to: items, user: device.user)
        if let last, told.changes.isEmpty, last.isFromCache == told.isFromCache, last.isComplete == told.isComplete,
            last.error == told.error
        {
            return nil
        }
        last = told
        return told
    }
}

/// Holds a list open as long as somebody reads it.
/// - Confinement: any
final class ListToken: Sendable {
    let list: LiveList
    private let release: @Sendable () -> Void

    init(_ list: LiveList, release: @escaping @Sendable () -> Void) {
        self.list = list
        self.release = release
    }

    deinit { release() }
}

/// The lists of a device that somebody reads.
/// - Confinement: WatchWiseActor
@WatchWiseActor
final class OpenLists {
    private var lists: [ObjectIdentifier: LiveList] = [:]

    /// The chats whose lists are read.
    var chats: Set<String> { Set(lists.values.compactMap(\.source.chat)) }
    /// One of them: the chat on the screen.
    var chat: String? { lists.values.lazy.compactMap(\.source.chat).first }
    /// The watched documents that they need.
    var paths: Set<String> { lists.values.reduce(into: []) { $0.formUnion($1.source.paths) } }

    /// Takes a list for as long as its token is held.
    /// - Parameter onRelease: Called afterwards.
    func add(_ list: LiveList, onRelease: @escaping @Sendable @WatchWiseActor () -> Void) -> ListToken {
        let id = ObjectIdentifier(list)
        lists[id] = list
        return ListToken(list) { [weak self] in
            Task { @WatchWiseActor in
                self?.lists[id] = nil
                onRelease()
            }
        }
    }

    func changed(_ names: Set<ChangedName>) { for list in lists.values { list.changed(names) } }

    /// All end for their readers.
    func close() {
        for list in lists.values { list.close() }
        lists = [:]
    }
}

/// Values for any number of readers, each with all that comes after it began.
/// - Confinement: WatchWiseActor
@WatchWiseActor
final class Broadcast<Value: Sendable> {
    private var readers: [Int: AsyncStream<Value>.Continuation] = [:]
    private var next = 0

    /// The values from now on.
    /// - Parameter first: Comes at once.
    func stream(first: Value? = nil) -> AsyncStream<Value> {
        let (stream, continuation) = AsyncStream.makeStream(of: Value.self)
        let number = next
        next += 1
        readers[number] = continuation
        continuation.onTermination = { [weak self] _ in
            Task { @WatchWiseActor in self?.readers[number] = nil }
        }
        if let first { continuation.yield(first) }
        return stream
    }

    func send(_ value: Value) { for reader in readers.values { reader.yield(value) } }
    func finish() { for reader in readers.values { reader.finish() } }
}
