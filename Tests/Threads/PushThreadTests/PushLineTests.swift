import Model
@testable import Push
import Testing
@testable import PushThread

struct PushLineTests {
    private let now = Aims.now

    @Test func `APNs gets one request until it has answered, then a hundred`() {
        var line = PushLine(.atOnce)
        #expect(line.room(at: now) == .free)
        line.begin()
        #expect(line.room(at: now) == .full)
        #expect(line.end(Aims.verdict(.sent), isHTTP2: true, milliseconds: 30, at: now) == nil)
        for _ in 0..<100 {
            #expect(line.room(at: now) == .free)
            line.begin()
        }
        #expect(line.room(at: now) == .full)
    }

    @Test func `a service that fails gets one request, and the others do not wait for it`() {
        var line = PushLine(.steps)
        line.begin()
        let failed = Aims.verdict(.again(at: Aims.later(5_000), as: .usual), status: 500)
        #expect(line.end(failed, isHTTP2: false, milliseconds: 30, at: now) == nil)
        #expect(line.isFailing)
        #expect(line.room(at: now) == .free)
        line.begin()
        guard case .later(let until, _) = line.room(at: now) else { return #expect(Bool(false), "it has room") }
        #expect(until == Aims.later(5_000))
        _ = line.end(Aims.verdict(.sent), isHTTP2: false, milliseconds: 30, at: now)
        #expect(!line.isFailing && line.room(at: now) == .free)
    }

    @Test func `a device that gets too many pushes does not make its service wait`() {
        var line = PushLine(.atOnce)
        line.begin()
        let until = Aims.later(300_000)
        let tooMany = Aims.verdict(
            .again(at: until, as: .usual), status: 429, device: .waits(until: until, milliseconds: 300_000))
        #expect(line.end(tooMany, isHTTP2: true, milliseconds: 30, at: now) == nil)
        #expect(!line.isFailing && line.room(at: now) == .free)
    }

    @Test func `a wait begins and ends once, and a new key ends it`() {
        var line = PushLine(.atOnce)
        let until = Aims.later(600_000)
        let refused = Aims.verdict(
            .again(at: until, as: .usual), status: 403, service: .keyRefused(until: until))
        for number in 0..<3 {
            line.begin()
            let turn = line.end(refused, isHTTP2: true, milliseconds: 30, at: now)
            if number == 0 {
                guard case .begins(until, _) = turn else { return #expect(Bool(false), "\(String(describing: turn))") }
            } else {
                #expect(turn == nil)
            }
        }
        guard case .later(until, _) = line.room(at: now) else { return #expect(Bool(false), "it does not wait") }
        #expect(line.room(at: until) == .free)
        #expect(line.goOn() == .ends)
        #expect(line.goOn() == nil)
        #expect(line.room(at: now) == .free)
    }

    @Test func `a quota that is used up is remembered until a push is taken`() {
        var line = PushLine(.atOnce)
        line.begin()
        let until = Aims.later(60_000)
        _ = line.end(
            Aims.verdict(
                .again(at: until, as: .usual), status: 429, service: .waits(until: until, milliseconds: 60_000)),
            isHTTP2: true, milliseconds: 30, at: now)
        #expect(line.pause == 60_000 && line.waitsUntil == until)
        line.begin()
        #expect(line.end(Aims.verdict(.sent), isHTTP2: true, milliseconds: 30, at: until) == .ends)
        #expect(line.pause == nil && line.waitsUntil == nil)
    }

    @Test func `a service is quick while its last answer came soon, and only then its requests do not count`() {
        var line = PushLine(.steps)
        func end(_ verdict: PushVerdict, after milliseconds: Int64) {
            line.begin()
            _ = line.end(verdict, isHTTP2: true, milliseconds: milliseconds, at: now)
        }
        line.begin()
        line.begin()
        #expect(!line.isQuick && line.slowUnderWay == 2)
        end(Aims.verdict(.sent), after: 2_000)
        #expect(line.isQuick && line.slowUnderWay == 0)
        end(Aims.verdict(.sent), after: 2_001)
        #expect(!line.isQuick && line.slowUnderWay == 2)
        end(Aims.verdict(.sent), after: 10)
        #expect(line.isQuick)
        end(Aims.verdict(.again(at: Aims.later(5_000), as: .usual), status: 500), after: 10)
        #expect(!line.isQuick && line.slowUnderWay == 2)
    }

    @Test func `slow services share half of the connections, and a first request has some more`() {
        var line = PushLine(.steps)
        #expect(line.hasShare(beside: 47) && !line.hasShare(beside: 48))
        line.begin()
        #expect(line.hasShare(beside: 31) && !line.hasShare(beside: 32))
        _ = line.end(Aims.verdict(.sent), isHTTP2: false, milliseconds: 10, at: now)
        #expect(line.hasShare(beside: 48))
        line.begin()
        let failed = Aims.verdict(.again(at: Aims.later(5_000), as: .usual), status: nil)
        _ = line.end(failed, isHTTP2: false, milliseconds: 20_000, at: now)
        #expect(line.hasShare(beside: 31) && !line.hasShare(beside: 32))
    }
}
