import JSON
import Session

/// A document of the application, with its version.
/// - Confinement: any
public struct Versioned<Data: Sendable & Hashable>: Sendable, Hashable {
    public let path: String
    /// 0 as long as the first write waits.
    public let version: Int64
    public let data: Data
    public let pending: Pending?
}

extension Versioned where Data: Codable {
    init(row: JSONObject) throws {
        path = row.string("path") ?? ""
        version = row.integer("version")
        data = try AnyJSON(row["data"] ?? .null).decoded(as: Data.self)
        pending = Pending(row)
    }
}

/// A document by its path.
@WatchWiseActor
public struct Document<Data: Codable & Sendable & Hashable> {
    let device: Device
    public let path: String

    /// The document, now and after each change; empty when there is none. A document that cannot be decoded is left out.
    public nonisolated func snapshots() -> Snapshots<Versioned<Data>> {
        Snapshots(device: device, window: .document(path), make: { try? Versioned(row: $0) })
    }

    /// The document: from the store while it is watched, else from the server; nil when there is none.
    /// - Throws: ``WatchWiseError``, also when it cannot be decoded.
    public func get() async throws -> Versioned<Data>? {
        if device.watchState(path).isComplete {
            let row = try device.store.read { try $0.row(RowKey(.documents, path)) }
            return try row.map(Versioned.init)
        }
        do {
            let answer = try await device.request("get", ["path": .string(path)])
            return try answer.objectValue.map { try Versioned(row: $0.with(["path": .string(path)])) }
        } catch let error as WatchWiseError where error.code == "not-found" {
            return nil
        }
    }

    /// Replaces the document.
    /// - Parameter ifVersion: Only if this is its version, 0 for none. Without it the write is made on what the store shows.
    @discardableResult
    public func put(_ data: Data, ifVersion: Int64? = nil) throws -> Write {
        try write("put", ["data": AnyJSON(encoding: data).value], ifVersion)
    }

    /// Changes some members: a merge patch (RFC 7396), where null removes a member.
    @discardableResult
    public func patch(_ change: [String: AnyJSON], ifVersion: Int64? = nil) throws -> Write {
        try write("patch", ["data": AnyJSON.object(change).value], ifVersion)
    }

    /// Removes the document.
    @discardableResult
    public func remove(ifVersion: Int64? = nil) throws -> Write { try write("remove", [:], ifVersion) }

    private func write(_ type: String, _ more: JSONObject, _ ifVersion: Int64?) throws -> Write {
        var fields = more.with(["path": .string(path)])
        fields["ifVersion"] = ifVersion.map { .integer($0) }
        return try device.keep(type, fields, base: try base())
    }

    /// The document as the application sees it; nil when that is not known.
    private func base() throws -> WriteEntry.Version? {
        if let row = try device.store.read({ try $0.row(RowKey(.documents, path)) }) {
            return WriteEntry.Version(version: row.integer("version"), data: row["data"] ?? .null)
        }
        let isKnown =
            device.watchState(path).isComplete || device.watchState(Mirror.collection(of: path)).isComplete
        return isKnown ? WriteEntry.Version(version: 0, data: .null) : nil
    }
}

/// The documents of a collection.
@WatchWiseActor
public struct Collection<Data: Codable & Sendable & Hashable> {
    let device: Device
    public let path: String

    /// The documents by path, now and after each change. Those that cannot be decoded are left out.
    /// - Parameter limit: How many, until ``Snapshots/more(_:)`` shows further ones; all of them without it.
    public nonisolated func snapshots(limit: Int = .max) -> Snapshots<Versioned<Data>> {
        Snapshots(device: device, window: .collection(path, limit: limit), make: { try? Versioned(row: $0) })
    }

    /// The documents that the store has. It has all while somebody reads ``snapshots(limit:)``.
    public func list() throws -> [Versioned<Data>] {
        try device.store.read { try $0.documents(in: path) }.map(Versioned.init)
    }
}
