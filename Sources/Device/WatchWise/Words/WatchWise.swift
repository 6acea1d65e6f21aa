import JSON
import Session

/// One user's session on this device: everything that was there last can be read at once, everything that is written is kept
/// until the server has it, and no caller asks whether there is a network.
///
/// ```swift
/// let ww = try await WatchWise(server: "https://chat.example.org", user: "alice", store: .file(path)) { _ in
///     try await fetchToken()
/// }
/// for await snapshot in ww.chats.snapshots() { show(snapshot.items) }
/// ```
/// - Confinement: WatchWiseActor
@WatchWiseActor
public final class WatchWise {
    let device: Device

    /// Opens the store and connects. Lists can be read at once.
    /// - Parameters:
    ///   - server: Its address, such as `https://chat.example.org`.
    ///   - user: The user. Each user has a store of their own on a device.
    ///   - store: Where the device keeps everything.
    ///   - deviceName: The name of this device; chosen once and kept in the store when it is nil.
    ///   - locale: The language of notifications, such as `it`.
    ///   - connects: False for an extension of an application, which shares the store: it reads, and adds to the outbox.
    ///   - conflicts: Decides when somebody else has changed a document meanwhile.
    ///   - token: Returns a fresh token.
    /// - Throws: ``WatchWiseError`` for an address that is not valid; the system's error when not even a store in memory can be made.
    public convenience init(
        server: String, user: String, store: StoreLocation, deviceName: String? = nil, locale: String? = nil,
        connects: Bool = true, conflicts: ConflictHandler? = nil, token: @escaping TokenSource
    ) async throws {
        var parts = DeviceParts(
            user: user, location: store, token: token, conflicts: conflicts,
            transport: { try Self.transport(server, into: $0) })
        parts.name = deviceName
        parts.locale = locale
        parts.connects = connects
        try self.init(parts)
        if connects { try connect() }
    }

    init(_ parts: DeviceParts) throws { device = try Device(parts) }

    nonisolated private static func transport(
        _ server: String, into inbox: TransportInbox
    ) throws -> any SessionTransport {
        #if os(Linux)
            try LoopTransport(server, into: inbox)
        #else
            try SystemTransport(server, into: inbox)
        #endif
    }

    public var user: String { device.user }
    /// The name of this device at the server.
    public var deviceName: String { device.name }
    /// The state of the connection.
    public var state: ConnectionState { device.state }
    /// The state of the connection, now and after each change.
    public var states: AsyncStream<ConnectionState> { device.states.stream(first: device.state) }
    /// Words about the store.
    public var storageEvents: AsyncStream<StorageEvent> { device.storageEvents.stream(first: device.saidAtOpen) }

    /// Events of the server from now on; when the log has them, the store has them, too.
    /// - Parameter types: for example `message`; all when there is none.
    public func events(_ types: String...) -> AsyncFilterSequence<AsyncStream<ServerEvent>> {
        device.events.stream().filter { types.isEmpty || types.contains($0.type) }
    }

    /// Connects, and goes on connecting.
    public func connect() throws { try device.connect() }
    /// Ends the connection until `connect()`.
    public func disconnect() { device.disconnect() }
    /// Ends it for good. Writes that are kept go out when the store is opened again.
    public func close() { device.close() }

    /// Ends pushes to this device, takes away the notifications that it shows, closes, and deletes the store. Other processes with
    /// the same store end, too: they have nothing of the user any more.
    ///
    /// It waits for the server for 3 seconds. Without a network pushes go on until the same user, or another one who registers this
    /// device, is here again.
    /// - Parameter force: Gives up the writes that wait.
    /// - Throws: ``WatchWiseError`` `outbox-not-empty`.
    public func signOut(force: Bool = false) async throws {
        let waiting = device.entries.count { $0.state != .failed }
        guard waiting == 0 || force else {
            throw WatchWiseError(
                .storage, "outbox-not-empty",
                "\(waiting) writes have not reached the server; signOut(force: true) gives them up")
        }
        await device.pushes.leave(device.name, within: .seconds(3))
        ShownNotifications.close()
        device.close(isDeleted: true)
    }

    /// Says that a person looks at the application, or does no longer. Call it when a scene becomes active or leaves.
    public func focus(_ isOn: Bool) { device.focus(isOn) }

    /// Says that the system has a network, or none.
    public func network(isOnline: Bool) { device.hint(isOnline ? .online : .offline) }

    /// Any command that is answered.
    /// - Throws: ``WatchWiseError``, also `timeout` after 30 seconds without an answer; `CancellationError` when the task is
    ///   cancelled. Then it is not sent later.
    @discardableResult
    public func request(_ command: [String: AnyJSON]) async throws -> AnyJSON {
        guard let type = command["type"]?.string else {
            throw WatchWiseError(.permanent, "bad-request", "the command has no type", field: "type")
        }
        guard case .object(var fields) = AnyJSON.object(command).value else { return .null }
        fields["type"] = nil
        // It is sent again when its answer is lost.
        if fields["key"] == nil, ClientCommand.takesKey(type) { fields["key"] = .string(RandomName.make()) }
        return AnyJSON(try await device.request(type, fields))
    }

    /// The user's chats.
    public var chats: Chats { Chats(device: device) }
    /// A chat by its id.
    public func chat(_ id: String) -> Chat { Chat(device: device, id: id) }
    /// The chat with a person.
    public func chat(with person: String) -> Chat { Chat(device: device, id: ChatAddress.pair(device.user, person)) }
    public var rooms: Rooms { Rooms(device: device) }
    public var invitations: Invitations { Invitations(device: device) }
    public var topics: Topics { Topics(device: device) }
    public var inbox: Inbox { Inbox(device: device) }
    public var preferences: Preferences { Preferences(device: device) }
    public var outbox: OutboxList { OutboxList(device: device) }
    public var push: Push { Push(device: device) }
    public var presence: Presence { Presence(device: device) }

    /// How much is unread.
    public var unread: Snapshots<UnreadCount> { Snapshots(device, .unread()) }

    /// A document, as a type of the application.
    public func document<Data: Codable & Sendable & Hashable>(
        _ path: String, as type: Data.Type = AnyJSON.self
    ) -> Document<Data> { Document(device: device, path: path) }

    /// The documents of a collection.
    public func collection<Data: Codable & Sendable & Hashable>(
        _ path: String, as type: Data.Type = AnyJSON.self
    ) -> Collection<Data> { Collection(device: device, path: path) }

    /// Neither sees the other any more.
    @discardableResult
    public func block(_ person: String) throws -> Write {
        try device.keep("block", ["user": .string(person)])
    }

    /// Ends a block.
    @discardableResult
    public func unblock(_ person: String) throws -> Write {
        try device.keep("unblock", ["user": .string(person)])
    }

    /// Reports a person, perhaps because of a message, to the operator.
    @discardableResult
    public func report(
        _ person: String, chat: String? = nil, n: Int64? = nil, category: String? = nil, reason: String? = nil
    ) throws -> Write {
        var fields: JSONObject = ["user": .string(person)]
        fields["chat"] = chat.map { .string($0) }
        fields["n"] = n.map { .integer($0) }
        fields["category"] = category.map { .string($0) }
        fields["reason"] = reason.map { .string($0) }
        return try device.keep("report", fields)
    }
}
