import ArgumentParser
import Console
import Foundation
import JSON

/// `watchwise standby promote`
struct StandbyPromote: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "promote", abstract: "Let a standby take its primary's place; ask the standby.",
        discussion: """
            A primary that answers now is asked to take no more writes: then nothing is missing, the epoch stays, and \
            clients go on with their cursors. In every other case a new epoch begins, and clients fetch their state \
            again. The standby of a primary that was stopped has everything up to that stop; if the primary was started \
            again later, its later writes are missing. Of one that was killed or cut off, the writes of the last moment may \
            be missing: then --force is needed. End that server for good before; it must not be started again on its old \
            folder.

            EXAMPLES
              watchwise standby promote --server http://10.0.0.2:8080
              watchwise standby promote --force --server http://10.0.0.2:8080
            """)

    private static let waitMilliseconds: Int64 = 60_000
    private static let warning =
        ". The primary did not answer: if it was started again after its last stop, the writes that it took then are "
        + "in its folder alone; look there before you empty it"

    @Flag(help: "Go on without the primary, even if writes that it has acknowledged are missing.") var force = false
    @OptionGroup(title: "The server") var server: ServerOptions

    func run() throws {
        let client = try server.connect()
        let before = try client.ask("GET", "standby")
        if before["role"]?.stringValue == "primary" {
            return say(before, "this server is a primary already: there is nothing to do")
        }
        _ = try client.ask(client.request("POST", "standby/promote", query: force ? [("force", "true")] : []))
        let end = ContinuousClock.now + .milliseconds(Self.waitMilliseconds)
        while ContinuousClock.now < end {
            // It starts again meanwhile, and does not answer.
            if let now = try? client.ask("GET", "standby") {
                if now["promotion"]?["state"]?.stringValue == "refused" {
                    throw CommandFailure(.failed, now["promotion"]?["reason"]?.stringValue ?? "its log says why")
                }
                if now["role"]?.stringValue == "primary" {
                    let isKept = now["epoch"] == before["epoch"]
                    return say(
                        now,
                        "the standby has taken its primary's place "
                            + (isKept
                                ? "in the same epoch: clients go on with their cursors"
                                : "in a new epoch: clients fetch their state again" + (force ? "" : Self.warning)))
                }
            }
            Thread.sleep(forTimeInterval: 0.1)
        }
        throw CommandFailure(
            .failed, "it has not taken its primary's place after \(Self.waitMilliseconds / 1000) s; its log says why")
    }

    private func say(_ state: JSONValue, _ sentence: String) { Terminal.line(server.json ? state.text : sentence) }
}
