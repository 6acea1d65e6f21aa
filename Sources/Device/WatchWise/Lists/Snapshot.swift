import JSON
import Session

/// The content of a list at a moment, and the steps from the one before.
/// - Confinement: any
public struct Snapshot<Item: Sendable & Hashable>: Sendable, Hashable {
    /// One step. Applied in their order, the steps make the list of the last snapshot into this one.
    /// - Confinement: any
    public enum Change: Sendable, Hashable {
        case add(Item, at: Int)
        case change(Item, at: Int)
        case remove(Item, at: Int)
        /// The item may have changed, too.
        case move(Item, from: Int, to: Int)
    }

    public let items: Items
    public let changes: [Change]
    /// Whether the device is not in step with the server.
    public let isFromCache: Bool
    /// Whether nothing is missing.
    public let isComplete: Bool
    /// Whether ``Snapshots/more(_:)`` would show further items.
    public let hasMore: Bool
    /// Why it cannot be watched.
    public let error: WatchWiseError?

    /// The value, of what is not a list.
    public var value: Item? { items.first }
}

/// Snapshots of a list: the first one at once, from the store, then one after each change, until the task ends or the
/// library is closed. A slow reader misses nothing: its next snapshot has all changes since its last one, and there is at most
/// one for a frame of the screen (16 ms).
///
/// ```swift
/// let messages = ww.chat(with: "bob").snapshots(limit: 50)
/// for await snapshot in messages { show(snapshot.items, isEnd: !snapshot.hasMore) }
/// messages.more()  // in another place: when somebody scrolls to the oldest one
/// ```
/// - Confinement: any
public struct Snapshots<Item: Sendable & Hashable>: AsyncSequence, Sendable {
    let device: Device
    let window: ListWindow
    let make: @Sendable (JSONObject) -> Item?

    /// Begins to read.
    public func makeAsyncIterator() -> Iterator { Iterator(device: device, window: window, make: make) }

    /// Shows further items to all readers of this value, where the list has a limit. Messages that the device does not have come
    /// from the server.
    /// - Parameter count: How many.
    public func more(_ count: Int = 50) {
        Task { @WatchWiseActor [device, window] in device.lists.grow(window, by: Swift.max(0, count)) }
    }

    /// Reads one list.
    /// - Confinement: the task that made it
    public struct Iterator: AsyncIteratorProtocol {
        let device: Device
        let window: ListWindow
        private let shown: ShownItems<Item>
        private var list: ListToken?

        init(device: Device, window: ListWindow, make: @escaping @Sendable (JSONObject) -> Item?) {
            self.device = device
            self.window = window
            shown = ShownItems(make)
        }

        /// The next snapshot; nil at the end.
        public mutating func next() async -> Snapshot<Item>? {
            let token: ListToken
            if let list { token = list } else { token = await device.open(window) }
            list = token
            guard let told = await token.list.next() else { return nil }
            let changes = shown.take(told.changes)
            return Snapshot(
                items: shown.items, changes: changes, isFromCache: told.isFromCache, isComplete: told.isComplete,
                hasMore: told.hasMore, error: told.error)
        }
    }
}

extension Snapshots where Item: ListItem {
    init(_ device: Device, _ window: ListWindow) {
        self.init(device: device, window: window, make: Item.init)
    }
}
