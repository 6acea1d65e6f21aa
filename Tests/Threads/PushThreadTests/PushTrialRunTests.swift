import JSON
import Model
@testable import Push
import Store
import TestSupport
import Testing
import ThreadMessages
@testable import PushThread

/// One test of pushes as a value: every device gets one result, whatever its service does.
struct PushTrialRunTests {
    private static let begin: Int64 = 1_000
    private let address = ConnectionAddress(loop: 0, slot: 0, generation: 1)

    private func run(_ devices: PushDeviceEntry...) throws -> PushTrialRun {
        PushTrialRun(devices, of: try #require(UserID("alice")), for: address, tick: Self.begin)
    }

    private func rows(_ run: PushTrialRun) -> [JSONValue] { run.json["devices"]?.arrayValue ?? [] }

    private func judged(_ verdict: PushVerdict, note: String = "") -> PushEnd { .judged(verdict, gone: [], note: note) }

    @Test func `a user without devices is answered at once`() throws {
        let run = try run()
        #expect(run.isOver && run.ready.isEmpty)
        #expect(run.json == ["user": "alice", "devices": []])
    }

    @Test func `each end of a push has its state`() throws {
        let ends: [(PushEnd, String)] = [
            (judged(Aims.verdict(.sent)), "sent"),
            (judged(Aims.verdict(.again(at: Aims.later(5_000), as: .usual), status: 503)), "again"),
            (judged(Aims.verdict(.dropped, status: 410)), "dropped"),
            (judged(Aims.verdict(.dead, status: 413)), "dead"),
            (judged(Aims.verdict(.expired, status: 503)), "expired"),
            (.postponed(until: Aims.later(5_000), reason: "the key is refused"), "waits"),
            (.unsendable(reason: "its endpoint is not an address"), "dropped"),
        ]
        for (end, state) in ends {
            var run = try run(Aims.device(1, of: 2))
            let aim = try #require(run.ready.first)
            run.begin(aim, tick: Self.begin + 10)
            #expect(run.ready.isEmpty && !run.isOver)
            run.end(aim, end, at: Aims.now, tick: Self.begin + 52)
            #expect(run.isOver && run.ready.isEmpty)
            #expect(rows(run).first?["state"]?.stringValue == state)
        }
    }

    @Test func `the answer names the device, the service's words, and its time`() throws {
        var run = try run(Aims.device(1, of: 2), Aims.device(2, of: 2, .fcm))
        let aims = run.ready
        for aim in aims { run.begin(aim, tick: Self.begin + 10) }
        run.end(aims[1], judged(Aims.verdict(.sent), note: "apns-id x"), at: Aims.now, tick: Self.begin + 52)
        #expect(!run.isOver)
        #expect(
            rows(run)[1]
                == [
                    "id": "2", "device": "device-2", "platform": "fcm", "state": "sent", "status": 200,
                    "answer": "200, apns-id x", "milliseconds": 42,
                ])
    }

    @Test func `an answer that asks for another request gets it at once, a bounded number of times`() throws {
        var run = try run(Aims.device(1, of: 2))
        let again = judged(Aims.verdict(.again(at: Aims.now, as: .otherEnvironment), status: 400))
        for number in 1...PushLimits.trialRequestsMax {
            let aim = try #require(run.ready.first)
            #expect(aim.number == number && aim.variant == (number == 1 ? .usual : .otherEnvironment))
            run.begin(aim, tick: Self.begin)
            run.end(aim, again, at: Aims.now, tick: Self.begin + 5)
        }
        #expect(run.isOver && rows(run).first?["state"] == "again")
    }

    @Test func `when the time is over, devices without an answer say so, and later answers change nothing`() throws {
        var run = try run(Aims.device(1, of: 2), Aims.device(2, of: 2), Aims.device(3, of: 2))
        let aims = run.ready
        for aim in aims.prefix(2) { run.begin(aim, tick: Self.begin) }
        run.end(aims[0], judged(Aims.verdict(.sent)), at: Aims.now, tick: Self.begin + 5)
        run.giveUp(tick: run.endsAt)
        #expect(run.endsAt == Self.begin + 25_000 && run.isOver)
        #expect(rows(run).map { $0["state"] } == ["sent", "unanswered", "waits"])
        #expect(rows(run)[1]["answer"] == "no answer within 25 s" && rows(run)[1]["milliseconds"] == 25_000)
        #expect(rows(run)[2]["answer"] == "the service is busy" && rows(run)[2]["milliseconds"] == nil)
    }
}
