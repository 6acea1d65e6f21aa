import JSON
import Synchronization

/// Documents written durably, so many in each commit, one commit under way; perhaps with triggers that do not match.
struct WritesScenario: Sendable {
    static let time = "commit"
    static let axis = "triggers that do not match"
    /// The batch at which triggers are added, for there the disk costs next to nothing.
    static let triggersBatch = 64
    private static let readBack = 200

    var batch: Int
    var triggers = 0

    var detail: String {
        "\(batch) in each commit" + (triggers > 0 ? ", \(triggers.grouped) triggers that do not match" : "")
    }

    func run(_ course: Course) throws -> Outcome {
        let names = try makeTriggers(course)
        defer { for name in names { _ = try? course.admin().perform("DELETE", "/v1/triggers/\(name)") } }
        let before = try Commits.read(course)
        let folder = Self.folder(course.run, batch, triggers)
        let batches = DocumentBatches(course: course, batch: batch, atOnce: 1) { number in
            [
                "op": "put", "path": .string("\(folder)\(number)"),
                "data": ["title": "The Matrix", "year": 1999, "number": .integer(Int64(number))],
            ]
        }
        let crew = try batches.crew()
        var outcome = try course.measure(
            "writes", detail, connections: 1, crew: crew, times: [Self.time], isPaced: true)
        outcome.unit = "documents"
        outcome.facts += try Commits.read(course).since(before)
        let written = crew.board.count.load(ordering: .relaxed)
        outcome.faults = [("lost", try lost(of: written, folder, course))]
        if batch == Self.triggersBatch {
            outcome.growth = outcome.perCPUSecond.map {
                Outcome.Growth(
                    axis: Self.axis, size: Double(triggers), cost: 1_000_000 / $0, unit: "server CPU µs each document")
            }
        }
        return outcome
    }

    private static func folder(_ run: String, _ batch: Int, _ triggers: Int) -> String {
        "products/load-\(run)-\(batch)-\(triggers)-"
    }

    /// Reads some of them back: each must be there, with its own number.
    private func lost(of written: Int, _ folder: String, _ course: Course) throws -> Int {
        guard written > 0 else { return 1 }
        let calls = try course.admin()
        return (0..<min(written, Self.readBack)).count { place in
            let number = place * written / min(written, Self.readBack)
            let document = try? calls.perform("GET", "/v1/documents/\(folder)\(number)")
            return document?["data"]?["number"]?.integerValue != Int64(number)
        }
    }

    private func makeTriggers(_ course: Course) throws -> [String] {
        guard triggers > 0 else { return [] }
        let calls = try course.admin()
        var progress = ProgressLine()
        return try (0..<triggers).map { number in
            progress.show("making triggers: \(number.grouped) of \(triggers.grouped)")
            let name = "load-\(course.run)-\(number)"
            let trigger: JSONValue = [
                "name": .string(name), "event": "write", "path": "products/{product}",
                "condition": .string("after ->> 'year' > \(3_000 + number)"), "audience": "followers:product:{product}",
                "kind": "load", "title": "{{after.title}}", "body": "{{after.title}}",
            ]
            _ = try calls.perform("PUT", "/v1/triggers/\(name)", trigger)
            return name
        }
    }
}
