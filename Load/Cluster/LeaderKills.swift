import Client
import Foundation
import JSON
import Model
import Wire

/// Kills the leading node again and again, and times the next `ok` of a write on a session's other node.
struct LeaderKills {
    static let time = "leader killed → next ok"

    let house: ClusterHouse
    let mint: TokenMint
    let rounds: Int

    /// - Throws: when a cluster does not recover, or loses a write.
    func run() throws -> Latencies {
        var times = Latencies()
        guard let sender = UserID("kill-sender"), let receiver = UserID("kill-receiver") else { return times }
        let token = mint.token(for: sender)
        var progress = ProgressLine()
        for round in 0..<rounds {
            progress.show("killing the leading node: \(round) of \(rounds)")
            let leader = try house.awaitLeader()
            guard let other = house.nodes.first(where: { $0.name != leader.name }) else { break }
            _ = try write(["type": "follow", "topic": .string("user:\(receiver)")], token, at: other.address)
            let killed = ContinuousClock.now
            _ = leader.process.end(SIGKILL)
            let key = "kill-\(round)"
            let answer = try write(
                ["type": "send", "to": .string(receiver.text), "text": .string(key), "key": .string(key)], token,
                at: other.address)
            times.record(.now - killed)
            guard answer["ok"]?["n"]?.integerValue == Int64(round + 1) else {
                throw LoadFailure("after kill \(round + 1) the message has another number: \(answer.text)")
            }
            _ = try leader.process.start()
            for node in house.nodes { try house.awaitReady(node) }
        }
        progress.clear()
        return times
    }

    /// Repeats a command with its key until it is answered.
    private func write(_ command: JSONValue, _ token: String, at address: ServerAddress) throws -> JSONValue {
        let headers: HTTPHeaders = ["Authorization": "Bearer \(token)", "Content-Type": "application/json"]
        let request = HTTPRequest(
            method: "POST", target: "/v1/commands", headers: headers, body: command.bytes)
        let end = Date().addingTimeInterval(60)
        while Date() < end {
            let client = HTTPClient(server: address, timeoutMilliseconds: 15_000)
            if case .success(let answer) = Result(catching: { try client.perform(request) }) {
                if answer.status == 200 { return try JSONValue(parsing: answer.body) }
                guard answer.status >= 500 || answer.status == 429 else {
                    throw LoadFailure(
                        "a command was refused: \(String(decoding: answer.body.prefix(300), as: UTF8.self))")
                }
            }
            Thread.sleep(forTimeInterval: 0.02)
        }
        throw LoadFailure("a write was not answered within 60 s after the leading node was killed")
    }
}
