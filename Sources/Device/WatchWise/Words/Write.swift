import JSON
import Session

/// A write that is kept: it survives everything from here, and goes to the server as soon as it can. Nobody has to wait for it;
/// lists show it at once.
@WatchWiseActor
public struct Write {
    let device: Device
    let record: WriteRecord

    /// Its key, which the server's event bears.
    public var key: String { record.key }
    /// False when only memory keeps it, because there is no room, or the store is one in memory.
    public var isDurable: Bool { record.isDurable }

    /// Where it is; nil when it is done or given up.
    public var pending: Pending? {
        device.entries.first { $0.key == record.key }.flatMap { Pending(rawValue: $0.state.rawValue) }
    }

    /// Waits until the server has done it, which may take days.
    /// - Returns: the answer. Where another process connects with the store, it is empty.
    /// - Throws: ``WatchWiseError`` when the server refuses it for good, or when it was given up; `CancellationError` when the
    ///   task is cancelled: then only the wait ends.
    @discardableResult
    public func done() async throws -> AnyJSON { AnyJSON(try await record.wait()) }

    /// Takes it back, if it has not been sent.
    /// - Returns: whether it was taken back.
    @discardableResult
    public func cancel() -> Bool {
        let key = record.key
        return device.control(key) { $0.cancel(key) }
    }
}

extension Device {
    /// Takes a write.
    func keep(_ type: String, _ fields: JSONObject, base: WriteEntry.Version? = nil) throws -> Write {
        Write(device: self, record: try write(type, fields, base: base))
    }
}

/// The writes that the server has not answered.
@WatchWiseActor
public struct OutboxList {
    /// One of them.
    /// - Confinement: any
    public struct Entry: Sendable, Hashable {
        public let key: String
        public let command: AnyJSON
        public let pending: Pending
        /// The server's last refusal.
        public let error: WatchWiseError?
    }

    let device: Device

    /// The writes in their order.
    public var entries: [Entry] { device.entries.compactMap { Entry(.object($0.json)) } }
    /// The writes, now and after each change.
    public nonisolated var snapshots: Snapshots<Entry> {
        Snapshots(device: device, window: .outbox(), make: { Entry(.object($0)) })
    }

    /// Sends a write once more that failed or is uncertain.
    @discardableResult
    public func retry(_ key: String) -> Bool { device.control(key) { $0.retry(key) } }
    /// Gives a write up that is not under way.
    @discardableResult
    public func discard(_ key: String) -> Bool { device.control(key) { $0.discard(key) } }
}

extension OutboxList.Entry {
    init?(_ value: JSONValue) {
        guard let entry = WriteEntry(value), let pending = Pending(rawValue: entry.state.rawValue) else { return nil }
        self.init(
            key: entry.key, command: AnyJSON(entry.command), pending: pending,
            error: entry.error.map(WatchWiseError.init))
    }
}
