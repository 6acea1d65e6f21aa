import EventLoop
import Synchronization
import Testing

@Suite struct LoopStageTests {
    @Test func `loops on a stage do nothing until they are turned, and take what was posted when they are`() throws {
        let stage = LoopStage()
        let heard = Mutex<[Int]>([])
        let loop = try stage.makeLoop()
        let ear = try Mailbox<Int>(on: loop) { batch in heard.withLock { $0 += batch } }
        ear.post(1)
        ear.post(2)
        #expect(heard.withLock { $0 }.isEmpty)
        stage.settle()
        #expect(heard.withLock { $0 } == [1, 2])
        stage.abandon()
        #expect(stage.loops.isEmpty)
        #expect(!ear.post(3))
    }

    @Test func `a loop that is stopped ends with its turn and leaves the stage`() throws {
        let stage = LoopStage()
        let (thread, mailbox) = try LoopThread.start(named: "stopped", on: stage) { loop in
            try Mailbox<Int>(on: loop) { _ in }
        }
        #expect(stage.loops.count == 1)
        thread.stop()
        stage.settle()
        thread.join()
        #expect(stage.loops.isEmpty)
        #expect(!mailbox.post(1))
    }
}
