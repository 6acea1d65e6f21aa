import Foundation
import JSON
import Synchronization
import TestSupport
import Testing

/// Devices that connect, watch, become slow, leave and come back while writers never stop: an answer and the events
/// after it give exactly the present state, and every change comes once, in order.
struct WatchUnderLoadTests {
    /// A client's copy of the documents, made from answers and events as the documentation says.
    struct Board {
        private(set) var versions: [String: Int64] = [:]
        private(set) var documents: [String: JSONValue] = [:]
        /// Gaps and repeats in the versions of each document.
        private(set) var faults: [String] = []
        private var last: Int64 = 0

        /// An answer to `watch`: a whole page, or only what has changed.
        mutating func take(answer: JSONValue, isWhole: Bool) {
            if isWhole {
                versions = [:]
                documents = [:]
            }
            for document in answer["documents"]?.arrayValue ?? [] { set(document) }
            last = max(last, answer["seq"]?.integerValue ?? 0)
        }

        /// An event of type `document`.
        mutating func take(event: JSONValue) {
            let (path, seq) = (event["path"]?.stringValue ?? "", event["seq"]?.integerValue ?? 0)
            let (version, before) = (event["version"]?.integerValue ?? 0, versions[path])
            if seq <= last { faults.append("\(path): \(seq) after \(last)") }
            if let before, version != before + 1 { faults.append("\(path): \(version) after \(before)") }
            last = seq
            set(event)
        }

        private mutating func set(_ document: JSONValue) {
            guard let path = document["path"]?.stringValue else { return }
            versions[path] = document["version"]?.integerValue
            if let data = document["data"], !data.isNull {
                documents[path] = data
            } else {
                documents.removeValue(forKey: path)
            }
        }
    }

    /// Threads that put, patch and delete documents of one collection until `stop`.
    final class Writers: Sendable {
        private let isOver = Atomic<Bool>(false)
        private let ended = DispatchSemaphore(value: 0)
        private let failures = Mutex<[String]>([])
        private let count: Int

        init(_ count: Int, on server: TestServer, as name: String, to collection: String, documents: Int) {
            self.count = count
            for number in 0..<count {
                let thread = Thread { [self] in
                    do {
                        try write(number, server, name, collection, documents)
                    } catch {
                        failures.withLock { $0.append("\(error)") }
                    }
                    ended.signal()
                }
                thread.stackSize = 4 << 20
                thread.start()
            }
        }

        /// - Returns: the errors.
        func stop() -> [String] {
            isOver.store(true, ordering: .relaxed)
            for _ in 0..<count { ended.wait() }
            return failures.withLock { $0 }
        }

        private func write(
            _ number: Int, _ server: TestServer, _ name: String, _ collection: String, _ documents: Int
        ) throws {
            var random = SeededRandom(seed: UInt64(number) + 1)
            let device = try server.device(name, "writer-\(number)")
            var round = 0
            while !isOver.load(ordering: .relaxed) {
                let ids = try (0..<4).map { step -> Int64 in
                    round += 1
                    let path = JSONValue.string("\(collection)/\(Int.random(in: 0..<documents, using: &random))")
                    let key = JSONValue.string("w\(number).\(round).\(step)")
                    return switch Int.random(in: 0..<4, using: &random) {
                    case 0: try device.post(["type": "remove", "path": path, "key": key])
                    case 1: try device.post(["type": "patch", "path": path, "data": ["p": key], "key": key])
                    default: try device.post(["type": "put", "path": path, "data": ["v": key], "key": key])
                    }
                }
                let replies = try ids.map { try device.reply(to: $0) }
                // A fast machine writes more than the pace of commands allows, and a device that goes on is thrown out.
                if replies.contains(where: { $0["error"]?["code"] == "rate-limited" }) {
                    Thread.pause(milliseconds: 200)
                }
            }
        }
    }

    private static func read(_ device: Device, into board: inout Board, from mark: inout Int) {
        while mark < device.messages.count {
            let message = device.messages[mark]
            mark += 1
            if message["type"] == "document" { board.take(event: message) }
        }
    }

    /// The documents according to the HTTP API.
    private static func truth(_ server: TestServer, _ collection: String) throws -> [String: JSONValue] {
        let admin = try server.admin()
        var found: [String: JSONValue] = [:]
        var target = "/v1/documents?collection=\(collection)&limit=200"
        while true {
            let page = try admin.call("GET", target).json()
            for document in page["documents"]?.arrayValue ?? [] {
                found[document["path"]?.stringValue ?? ""] = document["data"]
            }
            guard let next = page["next"]?.stringValue else { return found }
            target = "/v1/documents?collection=\(collection)&limit=200&after=\(next)"
        }
    }

    /// Watches from the first page to the last, and takes the events between the pages.
    private static func watch(
        _ device: Device, _ path: JSONValue, since: JSONValue? = nil, into board: inout Board, from mark: inout Int
    ) throws {
        var command: JSONValue = ["type": "watch", "path": path]
        if let since { command["since"] = since }
        var answer = try device.ok(command)
        read(device, into: &board, from: &mark)
        board.take(answer: answer, isWhole: since == nil || answer["reset"] != nil)
        while let next = answer["next"] {
            let before = device.messages.count
            answer = try device.ok(["type": "watch", "path": path, "after": next])
            // Events before this answer belong to the earlier pages.
            let place = device.messages[before...].firstIndex { $0["re"] != nil } ?? device.messages.count
            while mark < place {
                if device.messages[mark]["type"] == "document" { board.take(event: device.messages[mark]) }
                mark += 1
            }
            board.take(answer: answer, isWhole: false)
            mark = place + 1
            read(device, into: &board, from: &mark)
        }
    }

    @Test(arguments: [40, 450])
    func `answers and events give exactly what is there, each change once and in order`(documents: Int) throws {
        let server = try DocumentCommandTests.server.get()
        let name = server.name("kanban")
        let collection = "users/\(name)/tasks"
        let path = JSONValue.string(collection)
        if documents > 200 { try Self.fill(server, collection, documents) }
        let steady = try server.connect()
        let epoch = try steady.hello(token: server.token(name), device: "steady")["epoch"] ?? .null
        let writers = Writers(3, on: server, as: name, to: collection, documents: documents)
        var board = Board()
        var mark = 0
        try Self.watch(steady, path, into: &board, from: &mark)

        // A device that leaves and comes back, and each time asks only for what it missed.
        var chain = Board()
        var point: JSONValue?
        for round in 0..<30 {
            let device = try server.connect()
            try device.hello(token: server.token(name), device: "chain")
            var place = 0
            try Self.watch(device, path, since: point, into: &chain, from: &place)
            for _ in 0..<(round % 5) * 3 { try device.event("document") }
            Self.read(device, into: &chain, from: &place)
            let answered = device.messages.compactMap { $0["ok"]?["seq"]?.integerValue }.last ?? 0
            point = ["epoch": epoch, "seq": .integer(max(answered, device.seqs.last ?? 0))]
            device.peer.socket.close()
        }
        #expect(writers.stop() == [])
        let truth = try Self.truth(server, collection)
        let late = try server.device(name, "late")
        var place = 0
        try Self.watch(late, path, since: point, into: &chain, from: &place)
        #expect(chain.faults == [])
        #expect(chain.documents == truth)
        var fresh = Board()
        place = 0
        let second = try server.device(name, "fresh")
        try Self.watch(second, path, into: &fresh, from: &place)
        #expect(fresh.documents == truth)
        try steady.settle()
        Self.read(steady, into: &board, from: &mark)
        #expect(board.faults == [])
        #expect(board.documents == truth)
        #expect(steady.seqs.count > 50)
        #expect(zip(steady.seqs, steady.seqs.dropFirst()).allSatisfy { $0 < $1 })
    }

    private static func fill(_ server: TestServer, _ collection: String, _ documents: Int) throws {
        let writes = (0..<documents).map { n -> JSONValue in
            ["op": "put", "path": .string("\(collection)/\(n)"), "data": ["v": 0]]
        }
        #expect(try server.admin().call("POST", "/v1/documents", ["writes": .array(writes)]).status == 200)
    }

    @Test func `a watcher that stops reading gets every change once when it reads on`() throws {
        let server = try DocumentCommandTests.server.get()
        let name = server.name("slow")
        let collection = "users/\(name)/tasks"
        let admin = try server.admin()
        let slow = try server.connect(receiveBufferBytes: 65_536)
        try slow.hello(token: server.token(name), device: "slow")
        try slow.event("live")
        try slow.ok(["type": "watch", "path": .string(collection)])
        try slow.ok(["type": "watch", "path": .string("\(collection)/3")])
        let before = try admin.statistic("slow_sessions_total") ?? 0
        let text = String(repeating: "x", count: 30_000)
        var count = 0
        // More bytes than the kernel's buffers and the bound of the queue together.
        while try admin.statistic("slow_sessions_total") == before, count < 2000 {
            let writes = (0..<20).map { n -> JSONValue in
                let data: JSONValue = ["t": .string(text), "n": .integer(Int64(count + n))]
                return ["op": "put", "path": .string("\(collection)/\(n)"), "data": data]
            }
            #expect(try admin.call("POST", "/v1/documents", ["writes": .array(writes)]).status == 200)
            count += 20
        }
        #expect(try admin.statistic("slow_sessions_total") != before)
        // A request of a slow session is answered when the session has caught up.
        let late = try slow.post(["type": "watch", "path": "items"])
        let unread = try slow.post(["type": "unwatch", "path": "items"])
        _ = try slow.reply(to: late)
        _ = try slow.reply(to: unread)
        while slow.durable.count < count { try slow.read() }
        try slow.settle()
        #expect(slow.durable.compactMap { $0["data"]?["n"]?.integerValue } == (0..<count).map { Int64($0) })
        #expect(zip(slow.seqs, slow.seqs.dropFirst()).allSatisfy { $0 < $1 })
    }
}
