/// The way of a message: from the sender's socket to the database and to the other user's socket.
extension Benchmark {
    private static let batch = 64

    static let chats = [
        Benchmark("take-send", of: "command", "\(batch) sends in one read: frames, commands, to the writer") {
            try chat(counting: .taking, $0)
        },
        Benchmark("apply-message", of: "message", "the writer's turn: \(batch) messages applied, committed, published")
        {
            try chat(counting: .applying, $0)
        },
        Benchmark("deliver-batch", of: "delivery", "the turn of a loop: \(batch) messages to one session") {
            try chat(counting: .delivering, $0)
        },
        Benchmark("deliver-alone", of: "delivery", "the turn of a loop: one message to one session") {
            try chat(counting: .delivering, of: 1, $0)
        },
        Benchmark("answer-sender", of: "message", "the turn of a loop: \(batch) own messages and replies to the sender")
        {
            try chat(counting: .answering, $0)
        },
    ]

    private enum Part { case taking, applying, delivering, answering }

    /// Alice writes to Bob; they are on different loops.
    private static func chat(counting counted: Part, of batch: Int = batch, _ counter: Counter) throws {
        let house = try House(loops: 2)
        defer { house.close() }
        let alice = try house.open("alice", to: 0)
        let bob = try house.open("bob", to: 1)
        try alice.send([#"{"id":2,"type":"follow","topic":"user:bob"}"#])
        house.settle()
        _ = try (alice.take(), bob.take())
        func turn(_ room: House.Room, _ part: Part) throws {
            guard part == counted else { return house.turn(room) }
            try counter.count(batch) { house.turn(room) }
        }
        var sent = 0
        try counter.repeating {
            sent += batch
            try alice.send(
                (sent - batch..<sent).map {
                    #"{"id":\#($0),"type":"send","to":"bob","text":"Did you see what they made of the second part?","#
                        + #""key":"c1f0a2b3\#(10_000_000 + $0)"}"#
                })
            try turn(.loop(0), .taking)
            try turn(.writer, .applying)
            guard try bob.take().isEmpty else { throw Mistake("a message came before it was told") }
            try turn(.loop(1), .delivering)
            guard try bob.take("message") == batch else { throw Mistake("not all messages came") }
            try turn(.loop(0), .answering)
            let answers = try alice.take()
            guard answers.count(where: { $0.contains(#""ok":{"#) }) == batch,
                answers.count(where: { $0.contains(#""type":"message""#) }) == batch
            else { throw Mistake("not all answers came: \(answers.first ?? "")") }
            house.settle()
        }
    }
}
