import JSON

/// One publication for many sessions.
extension Benchmark {
    private static let receivers = 1000

    static let fanout = [
        Benchmark("fanout", of: "delivery", "the turn of a loop: one broadcast to \(receivers) sessions") {
            try broadcast(1, $0)
        },
        Benchmark("fanout-batch", of: "delivery", "the turn of a loop: 4 broadcasts to each of \(receivers) sessions") {
            try broadcast(4, $0)
        },
    ]

    private static func broadcast(_ publications: Int, _ counter: Counter) throws {
        let house = try House()
        defer { house.close() }
        let peers = try (0..<receivers).map { try house.open("user-\($0)") }
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
