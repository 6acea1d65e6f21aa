import Model
@testable import Push
import Store
import TestSupport
import Testing
import ThreadMessages
@testable import PushThread

struct PushErrandTests {
    private let now = Aims.now

    private func page(
        _ devices: [PushDeviceEntry], _ job: PushJobEntry = Aims.job(), holdUntil: Timestamp = Aims.later(4_000)
    ) -> PushErrand {
        PushErrand(PushErrand.Page(job: job, upTo: Aims.user(9), isLast: true), devices, holdUntil: holdUntil)
    }

    private func session(_ user: Int64, acked: Int64 = 0) -> LookingSession {
        LookingSession(
            user: Aims.user(user), device: "laptop", acked: Position(acked), focus: true, chat: nil)
    }

    private func answer(_ question: Int64, _ sessions: LookingSession...) -> PushQuestions.Answer {
        PushQuestions.Answer(question: question, sessions: Dictionary(grouping: sessions, by: \.user))
    }

    @Test func `nobody is connected, so all users are decided at once`() {
        var errand = page([Aims.device(1, of: 2), Aims.device(2, of: 3), Aims.device(3, of: 3)])
        #expect(errand.stage == .toAsk && errand.undecided == [Aims.user(2), Aims.user(3)])
        errand.asked(7)
        #expect(errand.take(answer(6), at: now).isEmpty)
        #expect(errand.take(answer(7), at: now) == [Aims.user(2), Aims.user(3)])
        #expect(errand.stage == .decided)
    }

    @Test func `a user who is connected is held, and asked about once more`() {
        var errand = page([Aims.device(1, of: 2), Aims.device(2, of: 3)])
        errand.asked(1)
        #expect(errand.take(answer(1, session(3)), at: now) == [Aims.user(2)])
        errand.decided(Aims.user(2))
        #expect(errand.stage == .holding(until: Aims.later(4_000)))
        errand.endHold()
        #expect(errand.stage == .toAsk && errand.undecided == [Aims.user(3)])
        errand.asked(2)
        #expect(errand.take(answer(2, session(3)), at: Aims.later(4_000)) == [Aims.user(3)])
    }

    @Test func `the page ends with its counts, the cursor and a try for each device`() {
        let devices = (1...5).map { Aims.device(Int64($0), of: Int64($0)) }
        var errand = page(devices)
        errand.asked(1)
        for user in errand.take(answer(1), at: now) {
            let aim = errand.aims(of: user)[0]
            errand.decided(user)
            let none = PushGoneRows()
            switch user.value {
            case 1: errand.skip(aim, .seen, at: now)
            case 2: errand.end(aim, .judged(Aims.verdict(.sent), gone: [], note: "apns-id x"), gone: none, at: now)
            case 3:
                let gone = Aims.verdict(.dropped, status: 410, device: .removed(reason: "410 Unregistered"))
                errand.end(aim, .judged(gone, gone: [], note: ""), gone: none, at: now)
            case 4: errand.end(aim, .postponed(until: Aims.later(5_000), reason: "busy"), gone: none, at: now)
            default: errand.end(aim, .unsendable(reason: "no key"), gone: none, at: now)
            }
        }
        #expect(errand.isOver)
        let whole = errand.whole
        let progress = whole.progress[0]
        #expect(progress.to == Aims.user(9) && progress.isEnded && !progress.isLarge)
        #expect((progress.pushed, progress.skipped, progress.failed) == (1, 1, 2))
        #expect(whole.tries.map(\.answer) == ["seen", "200, apns-id x", "410", "busy", "no key"])
        #expect(whole.tries[3].outcome == .again(at: Aims.later(5_000), variant: "usual"))
        #expect(whole.devices.map(\.effect).contains(.removed(reason: "410 Unregistered")))
        #expect(whole.devices.map(\.effect).contains(.sent(at: now)))
    }

    @Test func `a try that would come after its lifetime expires instead`() {
        var errand = page([Aims.device(1, of: 2)], Aims.job(lifetime: 1_000))
        errand.asked(1)
        _ = errand.take(answer(1), at: now)
        let aim = errand.aims(of: Aims.user(2))[0]
        errand.decided(Aims.user(2))
        errand.postpone(aim, until: Aims.later(1_000), reason: "busy", at: now)
        #expect(errand.whole.tries[0].outcome == .expired)
        #expect(errand.whole.progress[0].failed == 1)
    }

    @Test func `a job of very many devices keeps only tries that are open or have failed`() {
        var errand = page(
            [Aims.device(1, of: 2), Aims.device(2, of: 3)], Aims.job(settled: Int64(PushLimits.triesKeptMax)))
        errand.asked(1)
        let users = errand.take(answer(1), at: now)
        for (index, user) in users.enumerated() {
            let aim = errand.aims(of: user)[0]
            errand.decided(user)
            let result: PushEnd =
                index == 0
                ? .judged(Aims.verdict(.sent), gone: [], note: "")
                : .postponed(until: Aims.later(5_000), reason: "busy")
            errand.end(aim, result, gone: PushGoneRows(), at: now)
        }
        #expect(errand.whole.progress[0].isLarge && errand.whole.progress[0].pushed == 1)
        #expect(errand.whole.tries.map(\.device) == [2])
    }

    @Test func `messages are decided up to the newest, and up to the first while somebody is held`() {
        var free = page([Aims.device(1, of: 2)], Aims.job(1, .message, chatFrom: 4))
        free.asked(1)
        _ = free.take(answer(1), at: now)
        #expect(free.judge(upTo: 9) == 9)
        #expect(free.judge(upTo: 12) == 9)
        var held = page([Aims.device(1, of: 2), Aims.device(2, of: 3)], Aims.job(1, .message, chatFrom: 4))
        held.asked(1)
        _ = held.take(answer(1, session(3)), at: now)
        #expect(held.judge(upTo: 9) == 4)
    }

    @Test(arguments: 0..<200)
    func `each aim gets one result, in any order of events`(seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        let count = Int64.random(in: 0...40, using: &random)
        let devices = (0..<count).map { Aims.device($0 + 1, of: Int64.random(in: 2...12, using: &random)) }
        var errand = page(devices, holdUntil: Aims.later(Int64.random(in: 0...1, using: &random) * 4_000))
        var (open, question, time): ([PushAim], Int64, Timestamp) = ([], 0, now)
        for _ in 0..<10_000 where !errand.isOver {
            if Bool.random(using: &random), let aim = open.popLast() {
                switch Int.random(in: 0...2, using: &random) {
                case 0: errand.skip(aim, .muted, at: time)
                case 1:
                    errand.end(aim, .judged(Aims.verdict(.sent), gone: [], note: ""), gone: PushGoneRows(), at: time)
                default: errand.postpone(aim, until: time.adding(milliseconds: 1), reason: "busy", at: time)
                }
                continue
            }
            switch errand.stage {
            case .toAsk:
                question += 1
                errand.asked(question)
            case .asked:
                let sessions = (2...12).filter { _ in Bool.random(using: &random) }.map { session($0) }
                let known = PushQuestions.Answer(
                    question: question, sessions: Dictionary(grouping: sessions, by: \.user))
                for user in errand.take(known, at: time) {
                    open += errand.aims(of: user)
                    errand.decided(user)
                }
            case .holding(let until):
                time = max(time, until)
                errand.endHold()
            case .decided: break
            }
        }
        #expect(errand.isOver, "seed \(seed)")
        #expect(errand.whole.tries.map { $0.device }.sorted() == devices.map { $0.id }.sorted(), "seed \(seed)")
    }
}
