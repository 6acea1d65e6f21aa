import EventLoop
import Glibc
import Testing

@Suite struct LoopTests {
    private final class Hook: TurnEndHook {
        var body: () -> Void
        init(_ body: @escaping () -> Void) { self.body = body }
        func turnEnded() { body() }
    }

    @Test func `bytes that a hook writes at the end of a turn leave with the bytes of the turn`() throws {
        try withLoop { loop in
            try Pair.connect(on: loop) { pair, server, _ in
                let before = loop.writeCalls
                let hook = Hook { server.write([3, 4]) }
                server.write([1, 2])
                loop.atTurnEnd(hook)
                pair.client.onReceived = { [unowned loop] _, bytes in
                    #expect(bytes == [1, 2, 3, 4])
                    #expect(loop.writeCalls - before == 1)
                    loop.stop()
                }
            }
        }
    }

    @Test func `a hook that registers itself again does not stop the loop from polling`() throws {
        var calls = 0
        try withLoop { loop in
            var hook: Hook?
            hook = Hook { [unowned loop] in
                calls += 1
                if let hook { loop.atTurnEnd(hook) }
            }
            if let hook { loop.atTurnEnd(hook) }
            when({ calls > 8 }, on: loop) { [unowned loop] in
                hook = nil
                loop.stop()
            }
        }
        #expect(calls > 8)
    }

    @Test func `a timer fires once, a repeating timer until it is stopped, a restarted timer again`() throws {
        var once = 0
        var repeated = 0
        var restarted = 0
        try withLoop { loop in
            let single = LoopTimer(on: loop) { once += 1 }
            single.start(afterMilliseconds: 1)
            let late = LoopTimer(on: loop) { restarted += 1 }
            late.start(afterMilliseconds: 15)
            let many = LoopTimer(on: loop) { repeated += 1 }
            many.start(afterMilliseconds: 0, repeatingMilliseconds: 5)
            var rounds = 0
            let pusher = LoopTimer(on: loop) {
                rounds += 1
                late.start(afterMilliseconds: 15)
                if rounds == 6 { #expect(restarted == 0) }
                if repeated >= 5 { many.stop() }
                if rounds == 12 {
                    #expect(!many.isActive)
                    loop.stop()
                }
            }
            pusher.start(afterMilliseconds: 5, repeatingMilliseconds: 5)
            for timer in [single, late, many, pusher] { keep(timer, on: loop) }
        }
        #expect(once == 1)
        #expect(repeated >= 5)
    }

    @Test func `a timer that restarts itself without a pause leaves turns for the others`() throws {
        var fired = 0
        var heard = false
        try withLoop { loop in
            let mailbox = try Mailbox<Int>(on: loop) { [unowned loop] _ in
                heard = true
                loop.stop()
            }
            var timer: LoopTimer?
            timer = LoopTimer(on: loop) { [unowned loop] in
                fired += 1
                if fired == 3 { mailbox.post(1) }
                fired < 1000 ? timer?.start(afterMilliseconds: 0) : loop.stop()
            }
            timer?.start(afterMilliseconds: 0)
            if let timer { keep(timer, on: loop) }
        }
        #expect(heard)
        #expect(fired < 1000)
    }

    @Test func `now stands still within a turn and goes on from turn to turn`() throws {
        try withLoop { loop in
            let start = loop.now
            usleep(3000)
            #expect(loop.now == start)
            _ = after(10, on: loop) { [unowned loop] in
                #expect(loop.now >= start + 10)
                loop.stop()
            }
        }
    }

    @Test func `a signal is heard`() async {
        await #expect(processExitsWith: .success) {
            try withLoop { loop in
                let source = try SignalSource(on: loop, signal: SIGHUP) { [unowned loop] in loop.stop() }
                kill(getpid(), SIGHUP)
                keep(source, on: loop)
            }
        }
    }

    @Test func `a number that is not a signal is refused`() throws {
        try withLoop { loop in
            #expect(throws: UVError.invalid) { _ = try SignalSource(on: loop, signal: 0) {} }
            loop.stop()
        }
    }

    @Test func `an error thrown by the setup of a thread arrives, and the thread has ended`() {
        #expect(throws: UVError.invalid) {
            _ = try LoopThread.start(named: "broken") { _ in throw UVError.invalid }
        }
    }

    @Test func `use off the loop traps`() async {
        await #expect(processExitsWith: .failure) {
            nonisolated(unsafe) var stolen: Loop?
            let thread = try LoopThread.start(named: "owner") { unsafe stolen = $0 }
            unsafe stolen?.preconditionOnLoop()
            thread.stop()
        }
    }

    @Test func `a write off the loop traps`() async {
        await #expect(processExitsWith: .failure) {
            try withLoop { loop in
                try Pair.connect(on: loop) { _, server, _ in
                    nonisolated(unsafe) let stolen = server
                    _ = try? LoopThread.start(named: "thief") { _ in unsafe stolen.write([1]) }
                    loop.stop()
                }
            }
        }
    }

    @Test func `a timer dropped without close traps`() async {
        await #expect(processExitsWith: .failure) {
            try withLoop { loop in
                _ = LoopTimer(on: loop) {}
                loop.stop()
            }
        }
    }

    @Test func `a loop dropped before it ran traps`() async {
        await #expect(processExitsWith: .failure) { _ = try Loop() }
    }
}
