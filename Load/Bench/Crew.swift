import EventLoop
import Foundation
import Synchronization

/// One loop's part of a scenario.
/// - Confinement: loop
protocol CrewMember: AnyObject {
    /// Opens its connections; counts itself on the board when they are ready.
    func connect()

    /// Begins the load.
    func begin()

    /// Ends the load and puts its latencies on the board, once.
    func end()
}

/// The loops of a scenario, each on a thread of its own.
struct Crew {
    private enum Order: Sendable { case begin, end }

    let board: ScoreBoard
    private let threads: [LoopThread]
    private let mailboxes: [Mailbox<Order>]

    /// Starts the loops and waits until all connections are ready.
    static func start(
        _ loopCount: Int,
        board: ScoreBoard,
        make: @escaping @Sendable (Loop, Int) -> any CrewMember
    ) throws -> Crew {
        var threads: [LoopThread] = []
        var mailboxes: [Mailbox<Order>] = []
        for index in 0..<loopCount {
            let (thread, mailbox) = try LoopThread.start(named: "load-\(index)") { loop in
                let member = make(loop, index)
                let mailbox = try Mailbox<Order>(on: loop) { orders in
                    for order in orders {
                        switch order {
                        case .begin: member.begin()
                        case .end: member.end()
                        }
                    }
                }
                member.connect()
                return mailbox
            }
            threads.append(thread)
            mailboxes.append(mailbox)
        }
        let crew = Crew(board: board, threads: threads, mailboxes: mailboxes)
        do {
            try crew.wait(seconds: 120, "not all connections were ready") { board.readyLoops.load(ordering: .relaxed) }
        } catch {
            crew.stop()
            throw error
        }
        return crew
    }

    private init(board: ScoreBoard, threads: [LoopThread], mailboxes: [Mailbox<Order>]) {
        self.board = board
        self.threads = threads
        self.mailboxes = mailboxes
    }

    /// Begins the load on every loop.
    func begin() {
        for mailbox in mailboxes { mailbox.post(.begin) }
    }

    /// Ends the load and the threads.
    func stop() {
        board.isEnding.store(true, ordering: .relaxed)
        for mailbox in mailboxes { mailbox.post(.end) }
        for thread in threads { thread.stop() }
        for thread in threads { thread.join() }
    }

    /// Lets the load run.
    func run(seconds: Double) throws {
        let end = Date().addingTimeInterval(seconds)
        while Date() < end {
            try board.check()
            Thread.sleep(forTimeInterval: min(0.1, max(0, end.timeIntervalSinceNow)))
        }
    }

    private func wait(seconds: Double, _ problem: String, until loops: () -> Int) throws {
        let end = Date().addingTimeInterval(seconds)
        while loops() < threads.count {
            try board.check()
            guard Date() < end else { throw LoadFailure("\(problem) within \(Int(seconds)) s") }
            Thread.sleep(forTimeInterval: 0.02)
        }
    }
}
