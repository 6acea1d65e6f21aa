import ClientProtocol
import EventLoop
import Execution
import JSON
import Journal
import Model
import Quotas
import Store
import StoreTestSupport
import Telemetry
import TestSupport
import Testing
import ThreadMessages

@testable import StoreThread

/// Writes of a session whose device has connected again, to another node, and may have sent the same there.
struct FencingTests {
    private let founder: (folder: TemporaryFolder, directory: DataDirectory)
    private let script = Script()
    private let node: TestNode
    private let device = DeviceKey(user: StreamID(stored: 7), device: "phone")

    init() throws {
        founder = try TestNode.founder()
        node = try TestNode("a", copying: founder.directory) { [script] in script.take($0) }
    }

    private func lead() {
        let place = script.next(term: 1)
        node.mail.writer.post(.lead(place))
        #expect(eventually { script.applied.contains(place) })
    }

    private func claim(_ number: Int64) -> WriteClaim { WriteClaim(device: device, number: number) }

    /// A write that another node hands on.
    private func handed(_ line: Line, ticket: UInt64, _ claim: WriteClaim) throws -> HandedCommand {
        HandedCommand(
            ticket: ticket, actor: .user(device.user, try #require(UserID("tester")), roles: []), at: TestNode.now,
            work: line.source(claim))
    }

    private var lines: [Int] {
        node.seen.compactMap { seen in
            if case .event(let text) = seen { Int(text.dropLast(2).split(separator: " ").last ?? "") } else { nil }
        }
    }

    @Test func `the leading node refuses the copy of an earlier session after it has answered the later one`() throws {
        lead()
        node.take(try handed(Line("alice", 1, .refused), ticket: 1, claim(20)), from: "b", term: 1)
        #expect(eventually { script.entries.count == 1 })
        node.take(try handed(Line("alice", 1), ticket: 9, claim(10)), from: "c", term: 1)
        node.take(try handed(Line("alice", 2), ticket: 10, claim(10)), from: "c", term: 1)
        node.take(try handed(Line("alice", 3), ticket: 2, claim(20)), from: "b", term: 1)
        #expect(eventually { lines == [3] && script.answered.count == 2 })
        let late = script.answered.filter { $0.0.node == "c" }
        #expect(late.map(\.0.ticket) == [9, 10])
        for answer in late {
            guard case .failure(let refusal) = answer.2 else {
                Issue.record("\(answer.2)")
                continue
            }
            #expect(refusal.code.errorClass == .retry)
        }
        // Its node learns of the later claim: the session might be the later one all the same.
        #expect(Set(script.outdated) == [claim(20)])
        // The next entry says so too, for a node that leads after this one.
        let replies = script.entries.flatMap { entry -> [JournalReply] in
            if case .commit(let commit) = entry.0.content { commit.replies } else { [] }
        }
        #expect(replies.filter { $0.node == "c" }.map(\.ticket) == [9, 10])
        #expect(eventually { node.metrics.writesPending.now == 0 && node.metrics.peerMemory.waitingBytes == 0 })
        node.stop()
    }

    @Test func `a claim that another node has signalled counts, also before this node leads`() throws {
        node.mail.writer.post(.claimed(claim(20)))
        lead()
        node.take(try handed(Line("alice", 1), ticket: 9, claim(10)), from: "c", term: 1)
        node.take(try handed(Line("alice", 2), ticket: 10, claim(20)), from: "c", term: 1)
        #expect(eventually { lines == [2] })
        #expect(script.answered.map(\.0.ticket) == [9])
        node.stop()
    }

    @Test func `a node that follows drops what waits of an earlier session, and nothing else`() {
        node.write(Line("alice", 1), claim(10))
        node.write(Line("alice", 2))
        node.write(Line("alice", 3), WriteClaim(device: DeviceKey(user: device.user, device: "tablet"), number: 10))
        #expect(eventually { script.handed.count == 3 })
        node.mail.writer.post(.claimed(claim(20)))
        #expect(eventually { script.forgotten == [script.handed[0].ticket] })
        #expect(eventually { node.seen.count == 1 })
        // Its later writes are not handed on, either.
        node.write(Line("alice", 4), claim(10))
        #expect(eventually { node.seen.count == 2 })
        let isEachRefused = node.seen.allSatisfy { seen in
            if case .refusal(_, let refusal) = seen { refusal.code == .unavailable } else { false }
        }
        #expect(isEachRefused)
        lead()
        #expect(eventually { lines == [2, 3] })
        #expect(node.metrics.writesPending.now == 0)
        node.stop()
    }

    @Test func `claims are forgotten after a minute or two, and the oldest first when there are too many`() {
        var fence = DeviceFence(claimsMax: 3)
        #expect(fence.note(claim(20), at: 100_000) == nil)
        #expect(fence.note(claim(10), at: 100_000) == claim(20))
        #expect(fence.note(claim(20), at: 100_000) == nil)
        fence.forget(at: 100_000)
        #expect(fence.note(claim(19), at: 100_001) == claim(20))
        fence.forget(at: 160_000)
        fence.forget(at: 220_000)
        #expect(fence.note(claim(19), at: 220_000) == nil)
        for number in 0..<7 {
            fence.note(WriteClaim(device: DeviceKey(user: device.user, device: "\(number)"), number: 2), at: 220_000)
        }
        let known = [6, 0].map { number in
            fence.note(
                WriteClaim(device: DeviceKey(user: device.user, device: "\(number)"), number: 1), at: 220_000) != nil
        }
        #expect(known == [true, false])
    }

    // MARK: Writes with keys

    /// A refusal of the node that leads, as it arrives at this one.
    private func refusal(_ key: String, handed ticket: UInt64?) -> RefusedWrite {
        RefusedWrite(
            .init(owner: " tester", key: key), at: Timestamp(milliseconds: TestNode.now.milliseconds + 5),
            handed: ticket.map { .init(node: "a", ticket: $0) })
    }

    private func answer(_ ticket: UInt64) -> WriterMessage {
        .unwritten([UnwrittenAnswer(ticket: ticket, after: 0, outcome: .failure(Refusal(.forbidden, "not followed")))])
    }

    @Test(arguments: [true, false])
    func `a write is refused through a node that follows, whether the signal or the answer comes first`(
        _ isSignalFirst: Bool
    ) throws {
        var line = Line("alice", 1)
        line.key = WriteKey("k1")
        node.write(line)
        #expect(eventually { script.handed.count == 1 })
        let ticket = try #require(script.handed.first).ticket
        let signal = WriterMessage.refused(refusal("k1", handed: ticket))
        for message in isSignalFirst ? [signal, answer(ticket)] : [answer(ticket), signal] {
            node.mail.writer.post(message)
        }
        #expect(eventually { node.seen.count == 1 })
        #expect(node.seen == [.refusal(1, Refusal(.forbidden, "not followed"))])
        #expect(script.forgotten.isEmpty && node.metrics.writesPending.now == 0)
        node.stop()
    }

    @Test func `a copy that waits here is not done when the same write was refused elsewhere`() throws {
        for number in 1...3 {
            var line = Line("alice", number)
            line.key = WriteKey("k\(number)")
            node.write(line)
        }
        #expect(eventually { script.handed.count == 3 })
        let tickets = script.handed.map(\.ticket)
        // Of a client of another node, of one of the node that leads, and its own.
        node.mail.writer.post(
            .refused(
                RefusedWrite(
                    .init(owner: " tester", key: "k1"), at: Timestamp(milliseconds: TestNode.now.milliseconds + 5),
                    handed: .init(node: "c", ticket: tickets[0]))))
        node.mail.writer.post(.refused(refusal("k2", handed: nil)))
        node.mail.writer.post(.refused(refusal("k3", handed: tickets[2])))
        #expect(eventually { Set(script.forgotten) == Set(tickets[..<2]) })
        #expect(eventually { node.seen.count == 2 })
        // The answer to the third one was lost together with the node that gave it; and it was refused to a later copy.
        node.mail.writer.post(.refused(refusal("k3", handed: tickets[2] + 1)))
        #expect(eventually { node.seen.count == 3 })
        let isEachRefused = node.seen.allSatisfy { seen in
            if case .refusal(_, let refusal) = seen { refusal.code == .unavailable } else { false }
        }
        #expect(isEachRefused)
        node.stop()
    }

    private func keyed(_ key: String?, at: Int64, cameAt: Int64? = nil) throws -> WriteOrder {
        let user = Actor.user(device.user, try #require(UserID("tester")), roles: [])
        return WriteOrder(
            address: nil, ticket: .none,
            request: WriteRequest(
                actor: user, at: Timestamp(milliseconds: at), useCase: KeyedLine(key: key.flatMap { WriteKey($0) })),
            origin: cameAt.map { HandedOrigin(node: "b", ticket: 1, term: 1, at: Timestamp(milliseconds: $0)) })
    }

    @Test func `a copy that came before the same write was refused is known, a later one is not`() throws {
        var refused = RefusedKeys()
        let copy = try keyed("k1", at: 200, cameAt: 50)
        #expect(try keyed("k1", at: 90).refused(by: .failure(Refusal(.unavailable, "later"))) == nil)
        #expect(try keyed(nil, at: 90).refused(by: .failure(Refusal(.notFound, "nothing is there"))) == nil)
        let write = try #require(try keyed("k1", at: 100).refused(by: .failure(Refusal(.notFound, "nothing is there"))))
        #expect(!refused.isOvertaken(copy))
        refused.note(write, at: 0)
        #expect(refused.isOvertaken(copy))
        #expect(refused.isOvertaken(try keyed("k1", at: 99)))
        #expect(!refused.isOvertaken(try keyed("k1", at: 100)))
        #expect(!refused.isOvertaken(try keyed("k1", at: 200, cameAt: 100)))
        #expect(!refused.isOvertaken(try keyed(nil, at: 200, cameAt: 50)))
        #expect(!refused.isOvertaken(try keyed("k2", at: 200, cameAt: 50)))
        // The write that was refused is no copy of itself, and a signal that comes again says nothing new.
        let named = RefusedWrite(write.name, at: Timestamp(milliseconds: 150), handed: .init(node: "b", ticket: 1))
        refused.note(named, at: 0)
        refused.note(named.heard(at: Timestamp(milliseconds: 900)), at: 0)
        #expect(!refused.isOvertaken(copy))
        #expect(refused.isOvertaken(try keyed("k1", at: 149)))
        #expect(!refused.isOvertaken(try keyed("k1", at: 149), handed: .init(node: "b", ticket: 1)))
        #expect(!refused.isOvertaken(try keyed("k1", at: 151)))
        // Of two refusals at the same time the one that came last counts.
        refused.note(RefusedWrite(write.name, at: named.at, handed: .init(node: "c", ticket: 4)), at: 0)
        refused.forget(at: 60_000)
        #expect(refused.isOvertaken(copy))
        refused.forget(at: 120_000)
        #expect(!refused.isOvertaken(copy))
    }
}

/// A write with a key, for its name alone.
private struct KeyedLine: WriteUseCase {
    let key: WriteKey?

    func perform(in context: WriteContext) throws -> AnswerWithFact { AnswerWithFact([:], .none) }
}
