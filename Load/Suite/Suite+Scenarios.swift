/// The parts, one by one.
extension Suite {
    func echo(_ systems: [MeasuredSystem]) {
        let usual = EchoScenario.connectionsDefault
        let size = programme.echoes.contains(usual) ? usual : programme.echoes[0]
        inTurns("echo", systems.map { served($0) { try EchoScenario.run($0, connections: size) } })
    }

    func fanout(_ systems: [MeasuredSystem], _ size: Int, window: Int) {
        inTurns(
            "fanout",
            systems.map { served($0) { try FanoutScenario(connections: size, window: window).run($0) } })
    }

    func growthOfEcho(_ sizes: [Int]) {
        alone("echo growth") { server in
            try sizes.map { size in
                var outcome = try EchoScenario.run(server.course.again(), connections: size)
                outcome.scenario = "echo growth"
                outcome.growth = outcome.cost("connections", size, "server CPU µs each message")
                return outcome
            }
        }
    }

    func growthOfFanout(_ sizes: [Int]) {
        alone("fanout growth") { server in
            try sizes.map { size in
                let fanout = FanoutScenario(scenario: "fanout growth", connections: size, window: 8)
                var outcome = try fanout.run(server.course.again())
                outcome.growth = outcome.cost("receivers online", size, "server CPU µs each delivery")
                return outcome
            }
        }
    }

    /// Rounds with a fixed rate measure a commit of SQLite alone just before, for comparison with their times.
    func pairs() {
        let connections = PairsScenario.connectionsDefault
        inTurns("pairs", [served(programs.own) { try PairsScenario.run($0, connections: connections, rate: nil) }])
        let raw = rawInserts()
        defer { raw.end() }
        let paced = served(programs.own) { [programme] course in
            let alone = try? raw.run(batch: 1, seconds: min(1, programme.seconds))
            var course = course
            course.seconds = max(course.seconds, min(4, 2 * course.seconds))
            var outcome = try PairsScenario.run(course, connections: connections, rate: PairsScenario.paced)
            if let perSecond = alone?.perSecond { outcome.facts.append((PairsScenario.commitAlone, 1e6 / perSecond)) }
            return outcome
        }
        inTurns("pairs", [paced])
    }

    /// Both systems begin with the same documents: a growing log costs more than one that is overwritten.
    func writes(_ batch: Int) {
        let scenario = WritesScenario(batch: batch)
        let own = Contestant(system: "watchwise", detail: scenario.detail) { [self] in
            let server = try stand(programs.own)
            _ = try scenario.makeTriggers(server.course)
            try scenario.write(before: documentsBefore, server.course.again())
            return (
                {
                    let outcome = try scenario.measure(server.course.again())
                    try server.check()
                    return outcome
                }, { server.end() }
            )
        }
        let raw = Contestant(system: Goal.floor, detail: scenario.detail) { [self] in
            let raw = rawInserts()
            return ({ [programme] in try raw.run(batch: batch, seconds: programme.seconds) }, { raw.end() })
        }
        inTurns("writes", [own, raw])
    }

    private var documentsBefore: Int { Int(10_000 * programme.seconds) }

    private func rawInserts() -> RawInserts {
        RawInserts(program: programs.floor, room: newRoom(), before: documentsBefore)
    }

    func triggers() {
        let batch = WritesScenario.triggersBatch
        let scenarios =
            [WritesScenario(batch: batch, triggers: 0)]
            + WritesScenario.Mismatch.allCases.flatMap { mismatch in
                programme.triggers.map { WritesScenario(batch: batch, triggers: $0, mismatch: mismatch) }
            }
        inTurns(
            "writes",
            scenarios.map { scenario in
                Contestant(system: "watchwise", detail: scenario.detail) { [self] in
                    let server = try stand(programs.own)
                    _ = try scenario.makeTriggers(server.course)
                    return (
                        {
                            let outcome = try scenario.measure(server.course.again())
                            try server.check()
                            return outcome
                        }, { server.end() }
                    )
                }
            })
    }

    func chatsAndStart() {
        alone("stored") { [self] server in
            let scenario = StoredScenario(lengths: programme.lengths, backlogs: programme.backlogs)
            record.add(try scenario.run(server.course))
            return try StartScenario(messages: programme.lengths.last ?? 0, starts: programme.starts).run(server)
        }
    }

    func release() {
        alone("release") { [self] server in
            let online = min(programme.online, connectionsMax / 1_000 * 1_000)
            return try ReleaseScenario(followers: programme.followers, online: online).run(server.course)
        }
    }

    func soak() {
        alone("soak") { [self] server in
            var course = server.course
            course.seconds = programme.soakSeconds
            let connections = min(PairsScenario.connectionsDefault, programme.online)
            return [try SoakScenario(connections: connections, rate: SoakScenario.rateDefault).run(course)]
        }
    }

    func storm() {
        guard fits(programme.stormClients, "storm") else { return }
        alone("storm") { [self] server in
            guard let mint = server.course.mint else { return [] }
            let plan = StormPlan(
                mode: .kill, clients: programme.stormClients, loops: loopCount, rounds: 4, server: server.course.server,
                mint: mint)
            let outcome = try StormRun(plan, server: server.served, patience: .seconds(60)).play().outcome
            // This part ends its server, which must run for the next part.
            try server.start()
            return [outcome]
        }
    }

    /// Conversations, with every delivery on every device checked.
    func replay(_ path: String) {
        alone("replay") { [self] server in
            let course = server.course
            guard let mint = course.mint else { return [] }
            let plan = ReplayPlan(
                dialogues: try DialogueFile(path: path, limit: programme.dialogues).dialogues, deviceCount: 2,
                concurrency: 64, speed: .max, patienceMilliseconds: 60_000)
            guard !plan.dialogues.isEmpty else { throw LoadFailure("\(path) has no conversations") }
            let calls = AdminCalls(server: course.server, token: mint.token(for: plan.operatorID, isAdmin: true))
            let before = try course.meter.read()
            var outcome = try ReplayRun.play(
                plan, on: course.server, mint: mint, notificationKind: calls.recommendationKind()
            ).outcome
            outcome.note(try course.meter.read(isThorough: true), since: before)
            return [outcome]
        }
    }

    /// A server that runs during all turns; each turn has users of its own.
    private func served(
        _ system: MeasuredSystem, _ play: @escaping (Course) throws -> Outcome
    ) -> Contestant {
        Contestant(system: system.name) { [self] in
            let server = try stand(system)
            return (
                {
                    let outcome = try play(server.course.again())
                    try server.check()
                    return outcome
                }, { server.end() }
            )
        }
    }
}

extension Outcome {
    /// Records the resources that the server used between two readings.
    mutating func note(_ after: ProcessMeter.Reading, since before: ProcessMeter.Reading) {
        cpuSeconds = after.cpuSeconds - before.cpuSeconds
        residentBytes = after.residentBytes
        proportionalBytes = after.proportionalBytes
        descriptors = after.descriptors
    }
}
