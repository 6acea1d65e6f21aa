/// The parts of the suite in order, with an estimate of each part's time.
extension Suite {
    func parts(beside systems: [MeasuredSystem]) -> [SuitePart] {
        besideOthers(systems) + growing + durable + stored + ofMany
    }

    /// The sizes that fit; the report names the others.
    private func fitting(_ sizes: [Int], _ scenario: String) -> [Int] {
        let fit = sizes.filter { $0 <= connectionsMax }
        guard let over = sizes.first(where: { $0 > connectionsMax }) else { return sizes }
        _ = fits(over, scenario)
        let most = connectionsMax / 1_000 * 1_000
        return most > (fit.last ?? 0) ? fit + [most] : fit
    }

    private func besideOthers(_ systems: [MeasuredSystem]) -> [SuitePart] {
        let turns = Double(systems.count * programme.rounds)
        let idle = Double(programme.sessions.last ?? 0) + 3 * Double(programme.tlsSessions.last ?? 0)
        var parts = [
            SuitePart(
                name: "idle", title: "memory of idle sessions",
                seconds: idle / Programme.connectedEachSecond + 12 + Double(systems.count) * 4
            ) { [self] in self.idle(systems) },
            SuitePart(name: "echo", title: "echo", seconds: turns * programme.roundSeconds()) { [self] in echo(systems)
            },
        ]
        for size in programme.fanouts {
            for window in [1, 64] {
                parts.append(
                    SuitePart(
                        name: "fanout", title: "fan-out 1 → \(size.grouped), \(window) under way",
                        seconds: turns
                            * (programme.roundSeconds(connections: size)
                                + Double(window * size) / Programme.settledEachSecond)
                    ) { [self] in if fits(size, "fanout") { fanout(systems, size, window: window) } })
            }
        }
        return parts
    }

    private var growing: [SuitePart] {
        let round = programme.roundSeconds()
        let receivers = Double(programme.receivers.reduce(0, +)) / Programme.connectedEachSecond
        let echoes = Double(programme.echoes.reduce(0, +)) / Programme.connectedEachSecond
        return [
            SuitePart(name: "broadcast", title: "broadcast to everyone", seconds: round + 1) { [self] in
                alone("broadcast") {
                    let size = programme.fanouts[0]
                    return [
                        try FanoutScenario(scenario: "broadcast", connections: size, audience: .everyone).run($0.course)
                    ]
                }
            },
            SuitePart(
                name: "growth", title: "cost against connections and receivers",
                seconds: round * Double(programme.echoes.count + programme.receivers.count) + receivers + echoes
            ) { [self] in
                growthOfEcho(fitting(programme.echoes, "echo growth"))
                growthOfFanout(fitting(programme.receivers, "fanout growth"))
            },
        ]
    }

    private var durable: [SuitePart] {
        let round = programme.roundSeconds()
        let rounds = Double(programme.rounds)
        return [
            SuitePart(name: "pairs", title: "chat pairs at the limit and at 2,000/s", seconds: rounds * (3.5 * round)) {
                [self] in pairs()
            },
            SuitePart(
                name: "writes", title: "durable writes beside SQLite alone",
                seconds: Double(programme.batches.count) * (rounds * 2 * round + 1.5 * programme.seconds)
            ) { [self] in for batch in programme.batches { writes(batch) } },
            SuitePart(
                name: "triggers", title: "writes with triggers that do not match",
                seconds: rounds * round * Double(1 + 2 * programme.triggers.count)
                    + Double(programme.triggers.reduce(0, +)) / 100
            ) { [self] in triggers() },
        ]
    }

    private var stored: [SuitePart] {
        [
            SuitePart(
                name: "stored", title: "a chat of \((programme.lengths.last ?? 0).grouped) messages, and a start on it",
                seconds: Double(programme.lengths.last ?? 0) / 10_000 + Double(programme.starts) * 1.5 + 5
            ) { [self] in chatsAndStart() },
            SuitePart(
                name: "inbox", title: "an inbox of \((programme.inboxes.last ?? 0).grouped) notifications",
                seconds: Double(programme.inboxes.last ?? 0) / 8_000 + 3
            ) { [self] in
                alone("inbox") { try InboxScenario(sizes: programme.inboxes).run($0.course) }
            },
        ]
    }

    private var ofMany: [SuitePart] {
        let online = Double(programme.online) / Programme.connectedEachSecond
        var parts = [
            SuitePart(
                name: "release", title: "a release to \((programme.followers.last ?? 0).grouped) followers",
                seconds: Double(programme.followers.last ?? 0) / 20_000
                    + Double(programme.followers.count) * (2 * online + ReleaseScenario.secondsMin + 1)
            ) { [self] in release() },
            SuitePart(
                name: "storm", title: "\(programme.stormClients.grouped) come back at once",
                seconds: 4 + 4 * Double(programme.stormClients) / Programme.connectedEachSecond
            ) { [self] in storm() },
            SuitePart(name: "soak", title: "soak", seconds: programme.soakSeconds + 3) { [self] in soak() },
        ]
        if let dialogues {
            parts.append(
                SuitePart(name: "replay", title: "conversations", seconds: programme.dialogues == nil ? 12 : 5) {
                    [self] in replay(dialogues)
                })
        }
        return parts
    }

    /// The numbers of idle sessions that fit.
    func idle(_ systems: [MeasuredSystem]) {
        let own = fitting(programme.sessions, "idle")
        for system in systems where system.name != Goal.floorInBatches {
            alone("idle", on: system) { server in
                let sizes = system.name == "watchwise" ? own : Array(own.prefix(2))
                return try IdleScenario.run(server.course, sizes: sizes, isEncrypted: false)
            }
        }
        alone("idle", on: programs.ownOverTLS) { [self] server in
            try IdleScenario.run(server.course, sizes: fitting(programme.tlsSessions, "idle"), isEncrypted: true)
        }
    }
}
