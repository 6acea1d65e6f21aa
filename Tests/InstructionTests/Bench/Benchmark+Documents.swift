import JSON

/// Documents of an application, and the triggers that evaluate them.
extension Benchmark {
    private static let batch = 64

    static let documents = [
        Benchmark("document-plain", of: "document", "the writer's turn: \(batch) new documents, no trigger") {
            try write(triggers: [], notifications: 0, $0)
        },
        Benchmark("document-unmatched", of: "document", "the same with 100 triggers whose condition is false") {
            try write(triggers: (0..<100).map { trigger($0, "after->>'year' > \(3000 + $0)") }, notifications: 0, $0)
        },
        Benchmark("document-notifies", of: "document", "the same with a trigger that notifies one person of each") {
            try write(triggers: [trigger(0, "after->>'year' >= 2024")], notifications: batch, $0)
        },
    ]

    private static func trigger(_ number: Int, _ condition: String) -> JSONValue {
        [
            "name": .string("trigger-\(number)"), "event": "write", "path": "movies/{id}",
            "condition": .string(condition), "audience": "user:reader", "title": ["en": "{{after.title}}"],
            "body": ["en": "{{after.job}} of {{id}}"],
        ]
    }

    private static func write(triggers: [JSONValue], notifications: Int, _ counter: Counter) throws {
        let house = try House()
        defer { house.close() }
        let reader = try house.open("reader")
        let administrator = try Administrator(house)
        for trigger in triggers {
            try administrator.call("PUT", "/v1/triggers/" + (trigger["name"]?.stringValue ?? ""), trigger)
        }
        let document = try JSONValue(parsing: Array(Samples.document.utf8))
        var written = 0
        try counter.repeating {
            written += batch
            let writes = (written - batch..<written).map { number -> JSONValue in
                ["op": "put", "path": .string("movies/m\(1_000_000 + number)"), "data": document]
            }
            try administrator.send("POST", "/v1/documents", ["writes": .array(writes)])
            house.turn(.loop(0))
            house.turn(.loop(0))
            try counter.count(batch) { house.turn(.writer) }
            house.turn(.loop(0))
            try administrator.takeAnswer()
            guard try reader.take("notification") == notifications else { throw Mistake("not all notifications came") }
            house.settle()
            _ = try reader.take()
        }
    }
}
