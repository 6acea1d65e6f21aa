import JSON
import Session

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
    private var lists: [ObjectIdentifier: (list: LiveList, window: ListWindow)] = [:]

    /// The chats whose lists are read.
    var chats: Set<String> { Set(lists.values.compactMap(\.list.source.chat)) }
    /// One of them: the chat on the screen.
    var chat: String? { lists.values.lazy.compactMap(\.list.source.chat).first }
    /// The watched documents that they need.
    var paths: Set<String> { lists.values.reduce(into: []) { $0.formUnion($1.list.source.paths) } }

    /// Takes a list for as long as its token is held.
    /// - Parameter onRelease: Called afterwards.
    func add(
        _ list: LiveList, of window: ListWindow, onRelease: @escaping @Sendable @WatchWiseActor () -> Void
    ) -> ListToken {
        let id = ObjectIdentifier(list)
        lists[id] = (list, window)
        return ListToken(list) { [weak self] in
            Task { @WatchWiseActor in
                self?.lists[id] = nil
                onRelease()
            }
        }
    }

    func changed(_ changes: Changes) { for (list, _) in lists.values { list.changed(changes) } }

    /// All readers of a window see more.
    func grow(_ window: ListWindow, by count: Int) {
        window.grow(by: count)
        for (list, other) in lists.values where other === window { list.grow(by: count) }
    }

    /// All end for their readers.
    func close() {
        for (list, _) in lists.values { list.close() }
        lists = [:]
    }
}
