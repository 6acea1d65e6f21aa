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

    public let items: [Item]
    public let changes: [Change]
    /// Whether the device is not in step with the server.
    public let isFromCache: Bool
    /// Whether nothing is missing.
    public let isComplete: Bool
    /// Why it cannot be watched.
    public let error: WatchWiseError?

    /// The value, of what is not a list.
    public var value: Item? { items.first }
}

/// Snapshots of a list: the first one at once, from the store, then one after each change, until the task ends or the
/// library is closed. A slow reader misses nothing: its next snapshot has all changes since its last one.
///
/// ```swift
/// for await snapshot in ww.chats.snapshots() { show(snapshot.items) }
/// ```
/// - Confinement: any
public struct Snapshots<Item: Sendable & Hashable>: AsyncSequence, Sendable {
    let device: Device
    let source: ListSource
    let make: @Sendable (JSONObject) -> Item?

    /// Begins to read.
    public func makeAsyncIterator() -> Iterator { Iterator(device: device, source: source, make: make) }

    /// Reads one list.
    /// - Confinement: the task that made it
    public struct Iterator: AsyncIteratorProtocol {
        let device: Device
        let source: ListSource
        let make: @Sendable (JSONObject) -> Item?
        private var list: ListToken?

        init(device: Device, source: ListSource, make: @escaping @Sendable (JSONObject) -> Item?) {
            self.device = device
            self.source = source
            self.make = make
        }

        /// The next snapshot; nil at the end.
        public mutating func next() async -> Snapshot<Item>? {
            let token: ListToken
            if let list { token = list } else { token = await device.open(source) }
            list = token
            guard let told = await token.list.next() else { return nil }
            let make = make
            return Snapshot(
                items: told.items.compactMap(make), changes: told.changes.compactMap { Self.change($0, make) },
                isFromCache: told.isFromCache, isComplete: told.isComplete, error: told.error)
        }

        private static func change(
            _ change: ListChange, _ make: (JSONObject) -> Item?
        ) -> Snapshot<Item>.Change? {
            switch change {
            case .add(let row, let index): make(row).map { .add($0, at: index) }
            case .change(let row, let index): make(row).map { .change($0, at: index) }
            case .remove(let row, let index): make(row).map { .remove($0, at: index) }
            case .move(let row, let from, let index): make(row).map { .move($0, from: from, to: index) }
            }
        }
    }
}

extension Snapshots where Item: ListItem {
    init(_ device: Device, _ source: ListSource) {
        self.init(device: device, source: source, make: Item.init)
    }
}
