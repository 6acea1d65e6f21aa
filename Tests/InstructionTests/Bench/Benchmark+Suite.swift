import JSON

/// The scenes of the load suite in which many sessions have much under way: whole, with all threads, and the film network's
/// triggers, follows and names. A commit that has become small, or a socket that is written to more often, shows here and
/// nowhere else.
extension Benchmark {
    private static let pairs = 128
    private static let underWay = 8
    private static let watchers = 128
    private static let patches = 64

    static let suite = [
        Benchmark(
            "suite-chats", of: "message", "\(pairs) chats with \(underWay) sends under way in each, all threads",
            run: chat),
        Benchmark(
            "suite-watch", of: "delivery", "\(watchers) sessions watch a series with \(patches) patches by an operator"
        ) {
            try watch(byOwner: false, $0)
        },
        Benchmark("suite-watch-own", of: "delivery", "the same, of a profile that its owner's sessions patch") {
            try watch(byOwner: true, $0)
        },
    ]

    private static func chat(_ counter: Counter) throws {
        let house = try House(isFilmNetwork: true)
        defer { house.close() }
        let names = (0..<pairs).flatMap { ["nora.\($0)", "emil.\($0)"] }
        let administrator = try Administrator(house)
        try administrator.call("PUT", "/v1/rules", rules)
        let profiles = names.map { name -> JSONValue in
            ["op": "put", "path": .string("users/" + name), "data": ["name": .string("The person " + name)]]
        }
        try administrator.call("POST", "/v1/documents", ["writes": .array(profiles)])
        let peers = try house.open(names)
        for (place, peer) in peers.enumerated() {
            try peer.send([
                #"{"id":2,"type":"follow","topic":"user:\#(names[place ^ 1])"}"#,
                #"{"id":3,"type":"follow","topic":"person:\#(place % 50)"}"#,
                #"{"id":4,"type":"follow","topic":"series:\#(place % 20)"}"#,
            ])
        }
        try settle(house, peers, answers: 3)
        var sent = 0
        try counter.repeating {
            for place in stride(from: 0, to: peers.count, by: 2) {
                try peers[place].send(
                    (sent..<sent + underWay).map {
                        #"{"id":\#($0),"type":"send","to":"\#(names[place + 1])","#
                            + #""text":"Did you see what they made of it?","key":"c1f0a2b3\#(10_000_000 + $0)"}"#
                    })
            }
            sent += underWay
            try counter.count(pairs * underWay) { house.work() }
            for (place, peer) in peers.enumerated() {
                let messages = try peer.take()
                guard messages.count(where: { $0.contains(#""type":"message""#) }) == underWay,
                    place % 2 == 1 || messages.count(where: { $0.contains(#""ok":{"#) }) == underWay
                else { throw Mistake("\(messages.count) messages came to session \(place): \(messages.last ?? "")") }
            }
            house.settle()
            for peer in peers { _ = try peer.take() }
        }
    }

    /// Waits until each session has its answers.
    private static func settle(_ house: House, _ peers: [Peer], answers: Int) throws {
        for _ in 0..<10 { house.settle() }
        for peer in peers where try peer.take().count(where: { $0.contains(#""ok":{"#) }) != answers {
            throw Mistake("a session did not get its answers")
        }
    }

    private static let rules: JSONValue = [
        "rules": ["users/{user}": ["read": "public", "write": "owner"], "series/{series}": "public"]
    ]

    private static func watch(byOwner: Bool, _ counter: Counter) throws {
        let house = try House(isFilmNetwork: true)
        defer { house.close() }
        let path = byOwner ? "users/nora.0" : "series/severance"
        let administrators = try (0..<(byOwner ? 1 : patches)).map { _ in try Administrator(house) }
        try administrators[0].call("PUT", "/v1/rules", rules)
        try administrators[0].call("PUT", "/v1/documents/" + path, ["data": ["name": "Severance", "seasons": 1]])
        let peers = try house.open((1...watchers).map { "nora.\($0)" })
        for peer in peers { try peer.send([#"{"id":2,"type":"watch","path":"\#(path)"}"#]) }
        try settle(house, peers, answers: 1)
        let devices = try byOwner ? (0..<8).map { try house.open("nora.0", device: "device-\($0)") } : []
        var patched = 0
        try counter.repeating {
            let bodies = (patched..<patched + patches).map { number -> JSONValue in
                ["checked": .integer(Int64(number)), "by": "Nora's watch list"]
            }
            for (place, body) in bodies.enumerated() {
                if byOwner {
                    let key = patched + place
                    try devices[place % devices.count].send([
                        #"{"id":\#(key),"type":"patch","path":"\#(path)","data":\#(body.text),"key":"p\#(key)"}"#
                    ])
                } else {
                    try administrators[place].send("PATCH", "/v1/documents/" + path, body)
                }
            }
            patched += patches
            try counter.count(patches * watchers) { house.work() }
            for peer in peers {
                let changes = try peer.take("document")
                guard changes == patches else { throw Mistake("\(changes) changes came") }
            }
            house.settle()
            for administrator in administrators where !byOwner { try administrator.takeAnswer() }
            for device in devices { _ = try device.take() }
            for peer in peers { _ = try peer.take() }
        }
    }
}
