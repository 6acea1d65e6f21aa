import JSON

/// Devices that connect, and reconnect.
extension Benchmark {
    private static let missed = 150
    private static let arrivals = 16

    static let returning = [
        Benchmark("start-session", of: "session", "\(arrivals) devices that lack nothing say hello and are live") {
            try start(lacking: 0, counting: nil, $0)
        },
        Benchmark("resume-read", of: "event", "a reader's turn: a device lacks \(missed) events of the log") {
            try start(lacking: missed, counting: .reading, $0)
        },
        Benchmark("resume-write", of: "event", "the turn of a loop: a page of \(missed) events to one session") {
            try start(lacking: missed, counting: .writing, $0)
        },
    ]

    private enum Part { case hello, reading, writing }

    /// - Parameter counted: nil to count everything.
    private static func start(lacking lacked: Int, counting counted: Part?, _ counter: Counter) throws {
        let house = try House()
        defer { house.close() }
        let since = try makeHistory(house, of: lacked)
        let devices = lacked == 0 ? arrivals : 1
        var round = 0
        try counter.repeating {
            round += 1
            let peers = try (0..<devices).map { _ in try house.connect() }
            for (number, peer) in peers.enumerated() {
                try peer.send([try house.hello("bob", device: "\(round)-\(number)", since: since)])
            }
            func turn(_ room: House.Room, _ part: Part) throws {
                guard part == counted else { return house.turn(room) }
                try counter.count(max(1, lacked)) { house.turn(room) }
            }
            func turns() throws {
                try turn(.loop(0), .hello)
                try turn(.reader, .reading)
                try turn(.loop(0), .writing)
            }
            if counted == nil { try counter.count(devices, turns) } else { try turns() }
            for peer in peers {
                let messages = try peer.take()
                guard messages.count(where: { $0.contains(#""type":"message""#) }) == lacked,
                    messages.last?.contains(#""type":"live""#) == true
                else { throw Mistake("a device is not live: \(messages.count) messages, \(messages.last ?? "")") }
                peer.close()
            }
            house.settle()
        }
    }

    /// - Returns: the place after which Bob misses this number of Alice's messages.
    private static func makeHistory(_ house: House, of count: Int) throws -> (epoch: String, seq: Int64) {
        let bob = try house.connect()
        try bob.send([try house.hello("bob")])
        house.settle()
        guard let hello = try bob.take().first,
            let answer = try JSONValue(parsing: Array(hello.utf8))["ok"],
            let epoch = answer["epoch"]?.stringValue, var seq = answer["seq"]?.integerValue
        else { throw Mistake("no hello came") }
        let alice = try house.open("alice")
        try alice.send([#"{"id":2,"type":"follow","topic":"user:bob"}"#])
        house.settle()
        // The follow may bring Bob a notification; the missed messages begin after it.
        for message in try bob.take() {
            if let position = try JSONValue(parsing: Array(message.utf8))["seq"]?.integerValue {
                seq = max(seq, position)
            }
        }
        bob.close()
        for number in 0..<count {
            try alice.send([
                #"{"id":\#(number),"type":"send","to":"bob","text":"Did you see what they made of it?","key":"k\#(number)"}"#
            ])
            house.settle()
        }
        guard try alice.take("message") == count else { throw Mistake("not all was written") }
        return (epoch, seq)
    }
}
