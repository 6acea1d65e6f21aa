import Configuration
import EventLoop
import Gateway
import ThreadMessages

/// Opens the listeners of a server's loops.
///
/// - Confinement: the thread that starts the server
struct ListenerStart {
    let loops: [Mailbox<LoopMessage>]
    /// In a simulation, holds the loops instead of threads.
    let stage: LoopStage?

    /// Reads addresses as the settings have them.
    ///
    /// - Throws: `StartProblem`.
    static func resolve(_ texts: [String]) throws -> [SocketAddress] {
        try texts.map { text in
            do {
                return try SocketAddress(text)
            } catch {
                throw StartProblem(
                    isConfiguration: true,
                    "listen: '\(text)' is not an address; write HOST:PORT, such as 127.0.0.1:8080")
            }
        }
    }

    /// Opens the doors: all loops serve the ordinary ones. The first loop alone serves the figures: a scrape is no load.
    ///
    /// - Returns: their addresses, as they are bound.
    /// - Throws: `StartProblem`.
    func listen(on addresses: [SocketAddress], figuresOn figures: [String]) throws -> [String] {
        let first = ListenerStart(loops: Array(loops.prefix(1)), stage: stage)
        let own = try first.listen(on: try Self.resolve(figures), isForFigures: true)
        return (try listen(on: addresses) + own).map(\.description)
    }

    /// Makes every loop listen: the first one chooses the ports, the others share them.
    func listen(on addresses: [SocketAddress], isForFigures: Bool = false) throws -> [SocketAddress] {
        var bound = addresses
        for loop in loops {
            let answer = ListenAnswer()
            loop.post(.listen(bound, isForFigures: isForFigures, answer))
            stage?.settle()
            switch answer.wait() {
            case .success(let addresses): bound = addresses
            case .failure(let error):
                let names = bound.map(\.description).joined(separator: ", ")
                throw StartProblem(isConfiguration: false, "cannot listen on \(names): \(error)")
            }
        }
        return bound
    }
}
