import ClientProtocol
import JSON
import Session

/// The people whose presence a device watches: its connection has one watch, which serves all readers together.
/// - Confinement: WatchWiseActor
@WatchWiseActor
final class WatchedPeople {
    /// The server's bound of people for one connection.
    private static let most = 200

    /// The connection of the device: nothing is asked while it is not live.
    private let isLive: () -> Bool
    private let submit: (ClientCommand, @escaping (ClientReply) -> Void) -> Void
    private var readers: [Int: Reader] = [:]
    private var next = 0
    /// The people whom this connection watches.
    private var asked: [String] = []
    /// Names that the server does not take for names of users.
    private var wrong: Set<String> = []
    /// The watched people that are online.
    private var online: Set<String> = []
    private var isClosed = false

    init(
        isLive: @escaping () -> Bool, submit: @escaping (ClientCommand, @escaping (ClientReply) -> Void) -> Void
    ) {
        self.isLive = isLive
        self.submit = submit
    }

    /// The online people of a list, at once and after each change.
    /// - Parameter device: The owner, which does not go away as long as somebody reads.
    func snapshots(_ people: [String], of device: Device) -> AsyncStream<Set<String>> {
        let (stream, continuation) = AsyncStream.makeStream(of: Set<String>.self, bufferingPolicy: .bufferingNewest(1))
        let reader = Reader(people, continuation, online)
        guard !isClosed else {
            continuation.finish()
            return stream
        }
        let number = next
        next += 1
        readers[number] = reader
        continuation.onTermination = { _ in
            Task { @WatchWiseActor in device.people.release(number) }
        }
        ask()
        return stream
    }

    private func release(_ number: Int) {
        readers[number] = nil
        ask()
    }

    /// The state of the connection has changed: watches belong to a connection.
    func connectionChanged() {
        if isLive() { ask() } else { asked = [] }
    }

    /// Takes an event of the server.
    func took(_ person: String, isOnline: Bool) {
        guard asked.contains(person) else { return }
        if isOnline { online.insert(person) } else { online.remove(person) }
        for reader in readers.values { reader.show(online) }
    }

    /// All streams end.
    func close() {
        isClosed = true
        for reader in readers.values { reader.continuation.finish() }
        readers = [:]
    }

    /// Asks for the people of all readers, unless they are watched already. If they are too many, those of the latest readers
    /// are watched.
    private func ask() {
        guard isLive() else { return }
        var wanted: [String] = []
        var seen: Set<String> = []
        for (_, reader) in readers.sorted(by: { $0.key > $1.key }) {
            wanted += reader.people.filter { !wrong.contains($0) && seen.insert($0).inserted }
        }
        wanted = Array(wanted.prefix(Self.most))
        guard wanted != asked else { return }
        asked = wanted
        submit(ClientCommand(type: "presence", ["watch": .strings(wanted)], persistence: .once)) { [weak self] reply in
            self?.take(reply, to: wanted)
        }
    }

    private func take(_ reply: ClientReply, to wanted: [String]) {
        guard asked == wanted else { return }
        switch reply {
        case .ok(let ok):
            online = Set(ok["online"]?.arrayValue?.compactMap(\.stringValue) ?? [])
            for reader in readers.values { reader.show(online) }
        case .lost: asked = []
        case .refused(let refusal):
            asked = []
            // The wrong name of one list must not take the others their people: the server says which it is.
            if let place = refusal.field.flatMap({ Int($0.trimmingPrefix("watch.")) }), wanted.indices.contains(place) {
                wrong.insert(wanted[place])
                return ask()
            }
            guard let wait = refusal.retryAfterMilliseconds else { return }
            Task { [weak self] in
                try? await Task.sleep(for: .milliseconds(wait))
                self?.ask()
            }
        }
    }

    /// The reader of one stream.
    /// - Confinement: WatchWiseActor
    @WatchWiseActor
    private final class Reader {
        let people: [String]
        let continuation: AsyncStream<Set<String>>.Continuation
        private var shown: Set<String>

        init(_ people: [String], _ continuation: AsyncStream<Set<String>>.Continuation, _ online: Set<String>) {
            self.people = people
            self.continuation = continuation
            shown = online.intersection(people)
            continuation.yield(shown)
        }

        func show(_ online: Set<String>) {
            let now = online.intersection(people)
            guard now != shown else { return }
            shown = now
            continuation.yield(now)
        }
    }
}
