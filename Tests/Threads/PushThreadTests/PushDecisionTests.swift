import Model
import Testing
import ThreadMessages
@testable import PushThread

struct PushDecisionTests {
    private static func facts(_ change: (inout PushFacts) -> Void) -> PushFacts {
        var facts = PushFacts()
        change(&facts)
        return facts
    }

    private static let table: [(facts: PushFacts, skip: PushSkip?)] = [
        (PushFacts(), nil),
        (facts { $0.isThere = false }, .removed),
        (facts { $0.isExpired = true }, .expired),
        (facts { $0.isSeen = true }, .seen),
        (facts { $0.isReadable = false }, .unfollowed),
        (facts { $0.isApart = true }, .replaced),
        (facts { $0.silence = .muted }, .muted),
        (facts { $0.silence = .level }, .level),
        (facts { $0.silence = .quietHours }, .quietHours),
        (facts { $0.silence = .digest }, .digest),
        (facts { $0.silence = .throttled }, .throttled),
        (facts { $0.silence = .updated }, nil),
        (facts { ($0.isSeen, $0.isThere) = (true, false) }, .removed),
        (facts { ($0.silence, $0.isQuietUpdate) = (.muted, true) }, nil),
        (facts { ($0.silence, $0.isQuietUpdate) = (.digest, true) }, .digest),
        (facts { ($0.isSeen, $0.isQuietUpdate) = (true, true) }, .seen),
    ]

    @Test(arguments: table)
    func `each fact has its reason`(facts: PushFacts, skip: PushSkip?) { #expect(facts.skip == skip) }

    private static func session(
        _ device: String, acked: Int64, focus: Bool? = true
    ) -> LookingSession {
        LookingSession(
            user: Aims.user(2), device: device, acked: Position(acked), focus: focus, chat: nil)
    }

    private static let screens: [(sessions: [LookingSession], level: InterruptionLevel, hides: Bool)] = [
        ([], .active, false),
        // Another device has it on its screen.
        ([session("laptop", acked: 10)], .active, true),
        ([session("laptop", acked: 9)], .active, false),
        ([session("laptop", acked: 10, focus: false)], .active, false),
        ([session("laptop", acked: 10)], .timeSensitive, true),
        ([session("laptop", acked: 10)], .critical, false),
        // The device itself is looked at.
        ([session("phone", acked: 0)], .active, true),
        ([session("phone", acked: 0, focus: false)], .active, false),
        ([session("phone", acked: 10)], .critical, true),
        // A client that does not say `focus` is looked at when it acknowledges.
        ([session("phone", acked: 9, focus: nil)], .active, false),
        ([session("laptop", acked: 10, focus: nil)], .active, true),
        ([session("phone", acked: 10, focus: nil)], .critical, true),
        ([session("phone", acked: 0)], .critical, true),
    ]

    @Test(arguments: screens)
    func `the phone is spared what somebody sees`(
        sessions: [LookingSession], level: InterruptionLevel, hides: Bool
    ) {
        #expect(PushScreen(sessions).hides(Position(10), level, from: "phone") == hides)
    }

    @Test func `a question is answered when every loop has, or when one takes too long`() {
        var questions = PushQuestions(loops: 2)
        let first = questions.ask([Aims.user(3), Aims.user(2)], tick: 0)
        #expect(first.users == [Aims.user(2), Aims.user(3)])
        let session = Self.session("laptop", acked: 1)
        #expect(questions.take(PushLooking(number: first.number, loop: 0, sessions: [session])) == nil)
        #expect(questions.take(PushLooking(number: first.number, loop: 0, sessions: [session])) == nil)
        let whole = questions.take(PushLooking(number: first.number, loop: 1, sessions: []))
        #expect(whole?.sessions == [Aims.user(2): [session]])
        #expect(questions.overdueAt == nil)
        let second = questions.ask([Aims.user(2)], tick: 100)
        #expect(questions.overdue(tick: 1_099).isEmpty && questions.overdueAt == 1_100)
        #expect(questions.overdue(tick: 1_100).map(\.question) == [second.number])
        #expect(questions.take(PushLooking(number: second.number, loop: 0, sessions: [])) == nil)
    }

    @Test func `where there are other nodes, a question waits for them, too`() {
        var questions = PushQuestions(loops: 1, hasOthers: true)
        let (here, there) = (Self.session("laptop", acked: 1), Self.session("tv", acked: 2))
        let first = questions.ask([Aims.user(2)], tick: 0)
        #expect(questions.take(PushLooking(number: first.number, loop: 0, sessions: [here])) == nil)
        #expect(questions.takeElsewhere(first.number, [there])?.sessions == [Aims.user(2): [here, there]])
        #expect(questions.takeElsewhere(first.number, [there]) == nil)
        let second = questions.ask([Aims.user(2)], tick: 0)
        #expect(questions.takeElsewhere(second.number, []) == nil)
        #expect(questions.take(PushLooking(number: second.number, loop: 0, sessions: []))?.sessions == [:])
        let third = questions.ask([Aims.user(2)], tick: 0)
        questions.forget()
        #expect(questions.takeElsewhere(third.number, []) == nil && questions.overdueAt == nil)
    }
}
