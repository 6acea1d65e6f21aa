import EventLoop
import Foundation
import Synchronization

/// One loop's part of a scenario.
/// - Confinement: loop
protocol CrewMember: AnyObject {
    /// Opens its connections, and counts itself on the board when they are ready.
    func connect()

    /// Begins the load.
    func begin()

    /// Forgets the times so far, since the warm-up is over.
    func measure()

    /// Stops sending; messages on their way still arrive.
    func finish()

    /// Puts its times and faults on the board, once.
    func close()
}

/// The loops of a scenario, each on a thread of its own.
struct Crew {
    private enum Order: Sendable { case begin, measure, finish, close }

    let board: ScoreBoard
    private let threads: [LoopThread]
    private let mailboxes: [Mailbox<Order>]

    /// Starts the loops and waits until all connections are ready.
    static func start(
        _ loopCount: Int,
        connections: Int,
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
                        case .measure: member.measure()
                        case .finish: member.finish()
                        case .close: member.close()
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
            var progress = ProgressLine()
            try board.wait(seconds: 300, "not all connections were ready") {
                let count = board.connected.load(ordering: .relaxed)
                progress.show("connecting: \(count.grouped) of \(connections.grouped)")
                return board.readyLoops.load(ordering: .relaxed) >= loopCount
            }
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
    func begin() { tell(.begin) }

    /// Ends the warm-up.
    func measure() { tell(.measure) }

    /// Ends the load and waits for late messages, as long as some keep arriving: a slow server may have seconds of work
    /// left.
    func settle(seconds: Double) throws {
        tell(.finish)
        var (seen, since) = (-1, ContinuousClock.now)
        // Messages that are missing after this are lost, and counted as such.
        try board.wait(seconds: Self.settlingSecondsMax, nil) {
            let count = board.count.load(ordering: .relaxed)
            if count != seen { (seen, since) = (count, .now) }
            return count >= board.owed.load(ordering: .relaxed) || .now - since > .seconds(seconds)
        }
        // Time for duplicates to arrive.
        Thread.sleep(forTimeInterval: 0.1)
    }

    private static let settlingSecondsMax = 180.0

    /// Collects the results and ends the threads.
    func stop() {
        board.isEnding.store(true, ordering: .relaxed)
        tell(.close)
        for thread in threads { thread.stop() }
        for thread in threads { thread.join() }
    }

    private func tell(_ order: Order) {
        for mailbox in mailboxes { mailbox.post(order) }
    }
}

extension ScoreBoard {
    /// Waits on the main thread until a condition is true.
    ///
    /// - Parameter problem: The failure when it does not become true; nil when the caller checks that itself.
    /// - Throws: when it does not become true, or a loop has given up.
    func wait(seconds: Double, _ problem: String?, until isSo: () -> Bool) throws {
        let end = Date().addingTimeInterval(seconds)
        while !isSo() {
            try check()
            guard Date() < end else {
                if let problem { throw LoadFailure("\(problem) within \(Int(seconds)) s") }
                return
            }
            Thread.sleep(forTimeInterval: 0.01)
        }
    }
}
