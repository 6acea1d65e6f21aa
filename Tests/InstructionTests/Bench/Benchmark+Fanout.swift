import JSON

/// One publication for many sessions.
extension Benchmark {
    static let fanout = [
        Benchmark("fanout", of: "delivery", "the turn of a loop: one broadcast to 1,000 sessions") {
            try broadcast(1, to: 1000, $0)
        },
        Benchmark("fanout-batch", of: "delivery", "the turn of a loop: 16 broadcasts to each of 100 sessions") {
            try broadcast(16, to: 100, $0)
        },
    ]

    private static func broadcast(_ publications: Int, to receivers: Int, _ counter: Counter) throws {
        let house = try House()
        defer { house.close() }
        let peers = try house.open((0..<receivers).map { "user-\($0)" })
        let administrators = try (0..<publications).map { _ in try Administrator(house) }
        try counter.repeating {
            for administrator in administrators {
                try administrator.send(
                    "POST", "/v1/broadcasts",
                    ["audience": "everyone", "title": "A title", "body": "Did you see what they made of it?"])
            }
            house.turn(.loop(0))
            house.turn(.loop(0))
            house.turn(.writer)
            try counter.count(publications * receivers) { house.turn(.loop(0)) }
            for peer in peers {
                guard try peer.take("notification") == publications else { throw Mistake("not all came") }
            }
            for administrator in administrators { try administrator.takeAnswer() }
            house.settle()
            for peer in peers { _ = try peer.take() }
        }
    }
}
