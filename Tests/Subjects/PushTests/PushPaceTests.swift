import Model
import TestSupport
import Testing
@testable import Push

struct PushPaceTests {
    @Test func `the pauses are those of the page, each longer by up to a fifth, and the last one repeats`() {
        var random = SeededRandom(seed: 5)
        let steps: [Int64] = [5_000, 15_000, 60_000, 300_000, 900_000, 3_600_000, 10_800_000, 10_800_000, 10_800_000]
        for (tries, step) in zip(1..., steps) {
            let pauses = (0..<300).map { _ in PushPace.pause(afterTries: tries, using: &random) }
            #expect(pauses.allSatisfy { (step...step * 6 / 5).contains($0) })
            #expect(Set(pauses).count > 150)
        }
        #expect((5_000...6_000).contains(PushPace.pause(afterTries: 0, using: &random)))
        #expect((5_000...6_000).contains(PushPace.pause(afterTries: -7, using: &random)))
    }

    @Test(arguments: [3_600_000, 14_400_000, 259_200_000] as [Int64])
    func `no try is made after the end of the lifetime, and the last verdict is that it expired`(_ lifetime: Int64) {
        var random = SeededRandom(seed: UInt64(lifetime))
        var now = Samples.at
        let ends = now.adding(milliseconds: lifetime)
        for number in 1...100 {
            let attempt = Attempts.attempt(number: number, ends: ends, at: now)
            let verdict = PushVerdict.webPush(Attempts.answer(500), attempt, using: &random)
            guard case .again(let time, _) = verdict.outcome else {
                #expect(verdict.outcome == .expired)
                return
            }
            #expect(time > now && time < ends)
            now = time
        }
        Issue.record("it never ended")
    }
}

struct PushWindowTests {
    @Test func `a push service over HTTP/1.1 gets four requests, and one after a failure`() {
        var window = PushWindow(.steps)
        #expect(window.free == 4)
        for _ in 0..<4 { window.begin() }
        #expect(window.free == 0)
        window.end(isFailure: false, isHTTP2: false)
        #expect(window.free == 1)
        window.end(isFailure: true, isHTTP2: false)
        #expect(window.size == 1 && window.free == 0)
        window.end(isFailure: true, isHTTP2: false)
        window.end(isFailure: true, isHTTP2: false)
        #expect(window.free == 1)
        window.begin()
        window.end(isFailure: false, isHTTP2: false)
        #expect(window.free == 4)
    }

    @Test func `over HTTP/2 each answered page doubles the window up to a hundred`() {
        var window = PushWindow(.steps)
        var sizes = [window.size]
        for _ in 0..<8 {
            for _ in 0..<window.size {
                window.begin()
                window.end(isFailure: false, isHTTP2: true)
            }
            sizes.append(window.size)
        }
        #expect(sizes == [4, 8, 16, 32, 64, 100, 100, 100, 100])
        window.begin()
        window.end(isFailure: true, isHTTP2: true)
        #expect(window.size == 1)
        window.begin()
        window.end(isFailure: false, isHTTP2: true)
        #expect(window.size == 2)
    }

    @Test func `APNs and FCM get one request until the first answer, then a hundred`() {
        var window = PushWindow(.atOnce)
        #expect(window.free == 1)
        window.begin()
        #expect(window.free == 0)
        window.end(isFailure: false, isHTTP2: true)
        #expect(window.free == 100)
        window.begin()
        window.end(isFailure: true, isHTTP2: true)
        #expect(window.free == 1)
    }

    @Test func `a request that was not sent makes room and is no answer`() {
        var window = PushWindow(.atOnce)
        window.begin()
        window.giveBack()
        #expect(window.free == 1 && window.size == 1)
        window.giveBack()
        #expect(window.underWay == 0)
    }
}

struct DeviceProblemTests {
    private func day(_ days: Int64) -> Timestamp { Samples.at.adding(milliseconds: days * 86_400_000) }

    @Test func `a problem of another kind begins a new count`() {
        let first = DeviceProblem(.refused, reason: "403", after: nil, at: day(0))
        let second = DeviceProblem(.refused, reason: "401", after: first, at: day(1))
        #expect(second.since == day(0) && second.reason == "401")
        #expect(!second.removesDevice(at: day(1)))
        #expect(DeviceProblem(.refused, reason: "401", after: second, at: day(2)).removesDevice(at: day(2)))
        let other = DeviceProblem(.unsubscribed, reason: "507", after: second, at: day(2))
        #expect(other.since == day(2))
        let again = DeviceProblem(.refused, reason: "403", after: other, at: day(3))
        #expect(!again.removesDevice(at: day(3)))
    }

    @Test func `a clock that was put back counts no day twice`() {
        let first = DeviceProblem(.refused, reason: "403", after: nil, at: day(5))
        let second = DeviceProblem(.refused, reason: "403", after: first, at: day(0))
        let third = DeviceProblem(.refused, reason: "403", after: second, at: day(1))
        #expect(!third.removesDevice(at: day(1)))
        #expect(DeviceProblem(.refused, reason: "403", after: third, at: day(2)).removesDevice(at: day(2)))
    }

    @Test(arguments: DeviceProblem.Kind.allCases)
    func `a problem is stored and read`(_ kind: DeviceProblem.Kind) {
        var problem: DeviceProblem?
        for days in 0..<9 as Range<Int64> {
            let next = DeviceProblem(kind, reason: "403 \"no\"", after: problem, at: day(days))
            problem = DeviceProblem(stored: next.stored)
            #expect(problem == next)
            #expect(problem?.since == day(0))
        }
    }

    @Test(arguments: ["", "{}", "403", #"{"kind":"x","reason":"","since":1,"count":1,"counted":1}"#, "[]"])
    func `another text is no stored problem`(_ text: String) { #expect(DeviceProblem(stored: text) == nil) }
}
