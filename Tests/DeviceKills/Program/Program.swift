import Foundation
import WatchWise

/// A device for `Tests/DeviceKills/run`, which kills it: `watchwise-device MODE SERVER USER TOKEN STORE ARGUMENT`.
///
/// | mode | does |
/// |---|---|
/// | `write` | sends `ARGUMENT.1`, `ARGUMENT.2` … to bob, says `kept N` after each, and ends only when it is killed |
/// | `drain` | waits until the outbox is empty, and says `drained` |
/// | `fill` | sends ARGUMENT messages to bob, and waits until they are done |
/// | `first` | says after how many milliseconds the first list of the chat with alice is there, and how many messages it has |
/// | `catch-up` | says after how many milliseconds the store has what was missed, and how many are unread |
/// | `connect` | says after how many milliseconds it is live |
@main
struct Program {
    static func main() async throws {
        let words = CommandLine.arguments
        guard words.count == 7 else {
            FileHandle.standardError.write(Data("watchwise-device MODE SERVER USER TOKEN STORE ARGUMENT\n".utf8))
            exit(2)
        }
        let (mode, server, user, token, argument) = (words[1], words[2], words[3], words[4], words[6])
        let store: StoreLocation = words[5] == "memory" ? .memory : .file(words[5])
        let clock = ContinuousClock()
        let began = clock.now
        let ww = try await WatchWise(server: server, user: user, store: store, connects: mode != "first") { _ in token }
        func say(_ words: String) { FileHandle.standardOutput.write(Data("\(words)\n".utf8)) }
        func since() -> String {
            let parts = (clock.now - began).components
            return String(format: "%.2f", Double(parts.seconds) * 1000 + Double(parts.attoseconds) / 1e15)
        }
        switch mode {
        case "write":
            var number = 1
            while true {
                do {
                    try await ww.chat(with: "bob").send("\(argument).\(number)")
                    say("kept \(number)")
                    number += 1
                    if number % 8 == 0 { try await Task.sleep(for: .milliseconds(2)) }
                } catch let error as WatchWiseError where error.code == "outbox-full" {
                    try await Task.sleep(for: .milliseconds(20))
                }
            }
        case "drain":
            for await entries in await ww.outbox.snapshots where entries.items.isEmpty && entries.isComplete { break }
            say("drained")
        case "fill":
            var last: Write?
            for number in 1...(Int(argument) ?? 1) {
                last = try await ww.chat(with: "bob").send("m\(number)")
                if number % 500 == 0 { try await last?.done() }
            }
            try await last?.done()
            say("filled")
        case "first":
            for await messages in await ww.chat(with: "alice").snapshots(limit: 50) {
                say("\(since()) \(messages.items.count)")
                break
            }
        case "catch-up":
            for await chats in await ww.chats.snapshots() where chats.isComplete {
                say("\(since()) \(chats.items.first?.unread ?? 0)")
                break
            }
        default:
            for await state in await ww.states where state == .live { break }
            say("\(since()) \(await ww.state)")
        }
        await ww.close()
    }
}
