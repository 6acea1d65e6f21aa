import ArgumentParser
import Console
import Foundation
import JSON

/// `watchwise cluster step-down`
struct ClusterStepDown: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "step-down", abstract: "Let another node lead; ask the node that leads.",
        discussion: """
            Writes wait for less than a second meanwhile. It waits until another node leads.

            EXAMPLES
              watchwise cluster step-down
              watchwise cluster step-down --server http://10.0.0.2:8080
            """)

    private static let waitMilliseconds: Int64 = 10_000

    @OptionGroup(title: "The server") var server: ServerOptions

    func run() throws {
        let client = try server.connect()
        let before = try client.ask(client.request("POST", "cluster/step-down"))
        let node = before["node"]?.stringValue ?? ""
        let end = ContinuousClock.now + .milliseconds(Self.waitMilliseconds)
        while ContinuousClock.now < end {
            let now = try client.ask("GET", "cluster")
            if let leader = now["leader"]?.stringValue, Self.term(now) > Self.term(before) {
                if server.json { return Terminal.line(now.text) }
                return Terminal.line("\(leader) leads now, in term \(now["term"]?.text ?? "?")")
            }
            Thread.sleep(forTimeInterval: 0.1)
        }
        throw CommandFailure(
            .failed,
            "no other node leads after \(Self.waitMilliseconds / 1000) s; see 'watchwise cluster status' for \(node)")
    }

    private static func term(_ answer: JSONValue) -> Int64 { answer["term"]?.integerValue ?? 0 }
}
