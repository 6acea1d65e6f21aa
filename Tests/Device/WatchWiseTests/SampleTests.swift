import Foundation
import TestSupport
import Testing

@testable import WatchWise

/// The clients of the five applications in `Samples`, each with a server of its application.
@Suite(
    .enabled(if: ServerProcess.binary != nil, "watchwise is not built beside the tests"), .timeLimit(.minutes(20))
)
struct SampleTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private static func server(of application: String) throws -> LiveServer {
        try LiveServer(configuration: root.appending(path: "deploy/apps/\(application).json").path)
    }

    @Test func `no sample has more than 30 lines of code`() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Samples")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(files.count == 5)
        for file in files {
            let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
            let lines = text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
            let code = lines.filter { !$0.isEmpty && !$0.hasPrefix("//") && $0 != "}" }
            #expect(code.count <= 30, "\(file): \(code.count)")
        }
    }

    @Test func `a film network`() async throws {
        let server = try Self.server(of: "film-network")
        let alice = FilmNetwork(ww: try await server.open("alice"))
        let bob = FilmNetwork(ww: try await server.open("bob"))
        try await alice.follow(person: "bob")
        try await alice.follow(director: "525")
        let film = Product(id: "movie/603", title: "The Matrix", year: 1999)
        try await alice.recommend(film, to: "bob", because: "Watch it twice")
        await bob.showRecommendations { $0.first?.product != film }
        try await bob.review(film, "Twice!", stars: 4.5)
        let inbox = await alice.ww.inbox
        let told = try await inbox.snapshots().first { list in list.items.contains { $0.kind == "review" } }
        #expect(told.isComplete)
    }

    @Test func `a task board`() async throws {
        let server = try Self.server(of: "task-board")
        let phone = await TaskBoard(try await server.open("alice"))
        let laptop = await TaskBoard(try await server.open("alice"))
        try await phone.add(TaskBoard.Task(title: "Buy tickets", column: "todo"), as: "1")
        await laptop.showColumns { $0["todo"]?.count != 1 }
        try await laptop.move("1", to: "doing")
        try await laptop.finish("1")
        await phone.showColumns { $0["doing"]?.first?.done != true }
    }

    @Test func `air quality`() async throws {
        let server = try Self.server(of: "air-quality")
        try server.put("stations/14", #"{"name": "Działoszyn", "index": 1, "at": "2026-11-26T09:00:00Z"}"#)
        let client = AirQuality(ww: try await server.open("ola"))
        try await client.bookmark("14")
        await client.showStations { $0.first?.index != 1 }
        for _ in 1...40 where await client.ww.outbox.entries.isEmpty == false {
            try await Task.sleep(for: .milliseconds(50))
        }
        try server.put("stations/14", #"{"name": "Działoszyn", "index": 4, "at": "2026-11-26T10:00:00Z"}"#)
        await client.showStations { $0.first?.index != 4 }
        await client.showWarnings { $0.isEmpty }
    }

    @Test func `a ski resort`() async throws {
        let server = try Self.server(of: "ski-resort")
        try server.put("resorts/parnassos/lifts/1", #"{"name": "Aetos", "status": "open"}"#)
        let client = SkiResort(ww: try await server.open("maria"), resort: "parnassos")
        try await client.favour()
        try await client.sleep(from: "22:00", to: "07:00")
        await client.showLifts { $0["Aetos"] != "open" }
        try server.put("resorts/parnassos/lifts/1", #"{"name": "Aetos", "status": "closing"}"#)
        await client.showLifts { $0["Aetos"] != "closing" }
        #expect(try await client.ww.preferences.get()["quietHours"]?["to"] == "07:00")
    }

    @Test func `announcements`() async throws {
        let server = try Self.server(of: "announcements")
        let client = Announcements(ww: try await server.open("nikos"))
        try await client.subscribe()
        for _ in 1...40 where await client.ww.outbox.entries.isEmpty == false {
            try await Task.sleep(for: .milliseconds(50))
        }
        try server.put("announcements/1", #"{"title": "Exam dates", "summary": "June"}"#)
        await client.show { $0 != ["• New announcement: Exam dates"] }
        try await client.markAllSeen()
        await client.show { $0 != ["New announcement: Exam dates"] }
    }
}
