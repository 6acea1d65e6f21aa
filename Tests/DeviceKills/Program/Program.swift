import Foundation
import WatchWise
import WatchWisePush

/// A device for `Tests/DeviceKills/run`, which kills it, and for `Tests/PushTrials/swift.py`: `watchwise-device MODE SERVER USER TOKEN STORE ARGUMENT`.
///
/// | mode | does |
/// |---|---|
/// | `write` | sends `ARGUMENT.1`, `ARGUMENT.2` … to bob, says `kept N` after each, and ends only when it is killed |
/// | `drain` | waits until the outbox is empty, and says `drained` |
/// | `fill` | sends ARGUMENT messages to bob, and waits until they are done |
/// | `first` | says after how many milliseconds the first list of the chat with alice is there, and how many messages it has |
/// | `catch-up` | says after how many milliseconds the store has what was missed, and how many are unread |
/// | `connect` | says after how many milliseconds it is live |
/// | `register` | registers for pushes: ARGUMENT is the privacy, the token and the topic; new keys are kept in the file STORE |
/// | `open` | says what a push of Apple's service is, a file ARGUMENT, with the keys of the file STORE |
@main
struct Program {
    static func main() async throws {
        let words = CommandLine.arguments
        guard words.count == 7 else {
            FileHandle.standardError.write(Data("watchwise-device MODE SERVER USER TOKEN STORE ARGUMENT\n".utf8))
            exit(2)
        }
        let (mode, server, user, token, argument) = (words[1], words[2], words[3], words[4], words[6])
        if mode == "open" { return await open(argument, keys: words[5], server, token) }
        let store: StoreLocation =
            ["memory", "register"].contains { $0 == words[5] || $0 == mode } ? .memory : .file(words[5])
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
        case "register": try await register(ww, argument.split(separator: " ").map(String.init), keys: words[5])
        default:
            for await state in await ww.states where state == .live { break }
            say("\(since()) \(await ww.state)")
        }
        await ww.close()
    }

    private static func register(_ ww: WatchWise, _ words: [String], keys file: String) async throws {
        for await state in await ww.states where state == .live { break }
        var privacy = Push.Privacy.full
        if words[0] == "hidden" { privacy = .hidden }
        if words[0] == "sealed" {
            let keys = try PushKeys()
            try Data(keys.bytes).write(to: URL(filePath: file))
            privacy = .sealed(keys)
        }
        try await ww.push.register(apnsToken: words[1], topic: words[2], privacy: privacy)
        print("registered")
    }

    /// As a notification service extension does.
    private static func open(_ file: String, keys: String, _ server: String, _ token: String) async {
        do {
            let keys = try? PushKeys(bytes: Array(Data(contentsOf: URL(filePath: keys))))
            let push = try PushMessage(json: Data(contentsOf: URL(filePath: file)), keys: keys)
            let shown = try await push.fetched(from: server, token: token)
            let members = [
                "id": shown.id, "title": shown.title, "body": shown.body, "chat": shown.chat, "data": shown.data,
            ].compactMapValues(\.self)
            print(String(decoding: try JSONEncoder().encode(members), as: UTF8.self))
        } catch {
            print(error)
        }
    }
}
