import ClientProtocol
import Execution
import Model
import Testing
import ThreadMessages
@testable import Cluster

/// Writes that nodes hand each other: each is done once and in order, whatever the network does.
struct HandedTests {
    @Test(arguments: 0..<300)
    func `each write is answered once and stands in the journal once, in the order of its node`(_ seed: UInt64) throws {
        var model = HandedModel(seed: seed)
        try model.run(steps: 400)
        #expect(model.problems == [], "seed \(seed)")
        #expect(Self.problems(model) == [], "seed \(seed)")
        for (name, node) in zip(HandedModel.names, model.nodes) {
            #expect(node.waiting.isEmpty, "seed \(seed): \(name) waits for \(node.waiting.sorted())")
            #expect(node.window.count == 0)
        }
        #expect(model.nodes.map(\.answered.count).reduce(0, +) > 100)
    }

    @Test func `a leader that takes messages with gaps is found`() throws {
        #expect(try Self.finds { $0.takesGaps = true })
    }

    @Test func `a leader that compares the times of two clocks is found`() throws {
        #expect(try Self.finds { $0.comparesClocks = true })
    }

    private static func finds(_ plant: (inout HandedModel) -> Void) throws -> Bool {
        for seed in UInt64(0)..<50 {
            var model = HandedModel(seed: seed)
            plant(&model)
            try model.run(steps: 400)
            if !model.problems.isEmpty || !problems(model).isEmpty
                || model.nodes.contains(where: { !$0.waiting.isEmpty })
            {
                return true
            }
        }
        return false
    }

    /// Doubled writes, and writes out of order.
    private static func problems(_ model: HandedModel) -> [String] {
        var last: [Int: UInt64] = [:]
        var found: [String] = []
        for case .commit(_, let replies) in model.journal {
            for reply in replies where !model.nodes[reply.node].refused.contains(reply.ticket) {
                if reply.ticket <= last[reply.node] ?? 0 {
                    found.append("\(HandedModel.names[reply.node]): \(reply.ticket) after \(last[reply.node] ?? 0)")
                }
                last[reply.node] = reply.ticket
            }
        }
        return found
    }

    // MARK: The window

    private static func command(_ ticket: UInt64, bytes: Int = 10) -> HandedCommand {
        HandedCommand(
            ticket: ticket, actor: .server, at: Timestamp(milliseconds: 0),
            work: .command(HandedText([UInt8](repeating: 1, count: bytes), device: nil, deviceLanguage: nil)))
    }

    private static func window(_ tickets: ClosedRange<UInt64>, bytes: Int = 10) -> HandedWindow {
        var window = HandedWindow()
        _ = window.hold(tickets.map { command($0, bytes: bytes) })
        window.lead(by: .init(node: "b", term: 3))
        return window
    }

    private static func sent(_ window: inout HandedWindow, at now: Int64) -> [CommandsMessage] {
        var messages: [CommandsMessage] = []
        while let message = window.next(at: now, from: "a", run: 1) {
            window.noteSent(message, at: now)
            messages.append(message)
        }
        return messages
    }

    @Test func `the commands of a turn go in one message, and again after a second without an answer`() {
        var window = Self.window(10...14)
        let first = Self.sent(&window, at: 0)
        #expect(first.map { $0.commands.map(\.ticket) } == [[10, 11, 12, 13, 14]])
        #expect(first[0].base == 10 && first[0].after == 9)
        #expect(Self.sent(&window, at: 999).isEmpty)
        _ = window.hold([Self.command(15)])
        let next = Self.sent(&window, at: 999)
        #expect(next.map(\.after) == [14] && next[0].commands.map(\.ticket) == [15])
        window.end(12, at: 999)
        let again = Self.sent(&window, at: 1000)
        #expect(again.map { $0.commands.map(\.ticket) } == [[10, 11, 13, 14, 15]])
        window.end(10, at: 1500)
        #expect(Self.sent(&window, at: 2400).isEmpty, "an answer to the oldest shows that the leader works")
        #expect(Self.sent(&window, at: 2500).map(\.base) == [11])
    }

    @Test func `a new leadership gets everything at once, and nobody gets anything without one`() {
        var window = Self.window(1...3)
        #expect(Self.sent(&window, at: 0).count == 1)
        window.lead(by: .init(node: "b", term: 4))
        #expect(Self.sent(&window, at: 1).map(\.term) == [4])
        window.lead(by: nil)
        #expect(Self.sent(&window, at: 5000).isEmpty)
        window.clear()
        window.lead(by: .init(node: "c", term: 5))
        #expect(Self.sent(&window, at: 6000).isEmpty)
    }

    @Test func `messages have a bound, and so have the bytes on their way`() {
        var window = Self.window(1...60, bytes: 100_000)
        let sent = Self.sent(&window, at: 0)
        #expect(sent.allSatisfy { $0.bytes.count <= CommandLimits.messageBytesMax + 1000 })
        #expect(sent.allSatisfy { $0.commands.count == 2 })
        #expect(sent.count == 21, "4 MiB")
        for ticket in UInt64(1)...10 { window.end(ticket, at: 10) }
        #expect(Self.sent(&window, at: 10).map { $0.commands.map(\.ticket) }.first == [43, 44])
    }

    @Test func `a command that no message can carry is not taken`() {
        var window = HandedWindow()
        #expect(window.hold([Self.command(1), Self.command(2, bytes: 1000)], bytesMax: 500) == [2])
        #expect(window.count == 1)
    }

    // MARK: The intake

    private static func message(
        _ tickets: [UInt64], base: UInt64 = 1, after: UInt64 = 0, term: UInt64 = 3, run: UInt64 = 1
    ) -> CommandsMessage {
        CommandsMessage(
            node: "b", run: run, term: term, base: base, after: after,
            commands: tickets.map { .init(ticket: $0, bytes: command($0).bytes) })
    }

    private static func take(_ intake: inout HandedIntake, _ message: CommandsMessage, at: Int64 = 0) -> [UInt64] {
        intake.take(message, at: Timestamp(milliseconds: at), ahead: 0).commands.map(\.ticket)
    }

    @Test func `the node that leads takes what continues, and nothing twice`() {
        var intake = HandedIntake()
        #expect(Self.take(&intake, Self.message([1])).isEmpty, "it does not lead")
        intake.begin(3)
        #expect(Self.take(&intake, Self.message([1], term: 2)).isEmpty)
        #expect(Self.take(&intake, Self.message([3, 4], after: 2)).isEmpty, "1 and 2 are missing")
        #expect(Self.take(&intake, Self.message([1, 2])) == [1, 2])
        #expect(Self.take(&intake, Self.message([2, 3], after: 1)) == [3])
        #expect(Self.take(&intake, Self.message([7, 9], base: 7, after: 6)) == [7, 9], "the others have answers")
        #expect(Self.take(&intake, Self.message([8, 9, 10], base: 7, after: 6)) == [10])
        intake.begin(4)
        #expect(Self.take(&intake, Self.message([10], base: 10, after: 9, term: 4)) == [10])
    }

    @Test func `a later run of a node begins with other tickets, and messages of the one before are late`() {
        var intake = HandedIntake()
        intake.begin(3)
        #expect(Self.take(&intake, Self.message([50], base: 50, after: 49)) == [50])
        #expect(Self.take(&intake, Self.message([2], base: 2, after: 1, run: 2)) == [2])
        #expect(Self.take(&intake, Self.message([51], base: 50, after: 50)).isEmpty)
        #expect(Self.take(&intake, Self.message([3], base: 2, after: 2, run: 2)) == [3])
    }

    @Test func `an answer is kept until the base passes it, and sent again when it is asked for`() {
        var intake = HandedIntake()
        intake.begin(3)
        #expect(Self.take(&intake, Self.message([1, 2])) == [1, 2])
        let answer = UnwrittenAnswer(ticket: 1, after: 4, outcome: .failure(Refusal(.forbidden, "no")))
        let ofEarlier = intake.keep(answer, for: HandedOrigin(node: "b", ticket: 1, term: 2))
        let isKept = intake.keep(answer, for: HandedOrigin(node: "b", ticket: 1, term: 3))
        #expect(!ofEarlier && isKept)
        let again = intake.take(Self.message([1, 2]), at: Timestamp(milliseconds: 0), ahead: 0)
        #expect(again.commands.isEmpty && again.answers.map(\.ticket) == [1])
        for message in [Self.message([2], base: 2, after: 1), Self.message([1, 2])] {
            #expect(intake.take(message, at: Timestamp(milliseconds: 0), ahead: 0).answers.isEmpty)
        }
    }

    @Test func `a command that is too old, or cannot be read, is refused and passed over`() {
        var intake = HandedIntake()
        intake.begin(3)
        #expect(Self.take(&intake, Self.message([1]), at: 60_001).isEmpty)
        let late = intake.take(Self.message([1]), at: Timestamp(milliseconds: 60_001), ahead: 0)
        #expect(late.commands.isEmpty)
        guard case .failure(let refusal) = late.answers.first?.outcome else {
            Issue.record("no refusal")
            return
        }
        #expect(refusal.code == .timeout)
        let unreadable = CommandsMessage(
            node: "b", run: 1, term: 3, base: 1, after: 1, commands: [.init(ticket: 2, bytes: [99])])
        let taken = intake.take(unreadable, at: Timestamp(milliseconds: 0), ahead: 0)
        #expect(taken.commands.isEmpty && taken.answers.map(\.ticket) == [2])
        #expect(Self.take(&intake, Self.message([3], after: 2)) == [3])
    }

    @Test func `a command that looks old because a clock was set is taken when it comes again`() {
        var intake = HandedIntake()
        intake.begin(3)
        let (both, now) = (Self.message([1, 2]), Timestamp(milliseconds: 300_000))
        let early = intake.take(both, at: now, ahead: 0)
        #expect(early.commands.isEmpty && early.answers.isEmpty)
        #expect(
            intake.take(Self.message([3], after: 2), at: now, ahead: 0).commands.isEmpty, "it comes after the others")
        #expect(intake.take(both, at: now, ahead: -300_000).commands.map(\.ticket) == [1, 2])
    }

    @Test(arguments: [-86_400_000, -120_000, -2000, 0, 2000, 120_000, 86_400_000] as [Int64])
    func `a clock that is wrong makes no command old`(
        _ wrong: Int64
    ) throws {
        // The leader's clock shows 1,000,000; the command came to its node, whose clock is wrong, 50 ms before.
        let now = Timestamp(milliseconds: 1_000_000)
        func message(age: Int64) -> CommandsMessage {
            let command = HandedCommand(
                ticket: 1, actor: .server, at: Timestamp(milliseconds: now.milliseconds + wrong - age),
                work: .command(HandedText([1], device: nil, deviceLanguage: nil)))
            return CommandsMessage(
                node: "b", run: 1, term: 3, base: 1, after: 0, commands: [.init(ticket: 1, bytes: command.bytes)])
        }
        func taken(age: Int64, ahead: Int64?) -> HandedIntake.Taken {
            var intake = HandedIntake()
            intake.begin(3)
            let first = intake.take(message(age: age), at: now, ahead: ahead)
            guard first.commands.isEmpty else { return first }
            return intake.take(message(age: age), at: now, ahead: ahead)
        }
        #expect(taken(age: 50, ahead: wrong).commands.count == 1)
        #expect(taken(age: 60_000, ahead: wrong).commands.count == 1)
        #expect(taken(age: 60_001, ahead: wrong).answers.count == 1)
        #expect(taken(age: 50, ahead: nil).commands.count == 1, "its clock is not known yet")
    }
}
