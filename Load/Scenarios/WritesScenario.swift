import JSON
import Synchronization

/// Durable writes of documents, several in each commit, one commit at a time. Each document causes a notification, so
/// that a document, its change and an inbox entry are written; or there are triggers that are evaluated and do not
/// match.
struct WritesScenario: Sendable {
    static let time = "commit"
    static let axis = "triggers that do not match"
    /// The batch size when triggers are varied: here the disk costs almost nothing.
    static let triggersBatch = 64
    private static let readBack = 200
    /// The most documents that the API takes at once.
    private static let batchMax = 500

    /// Why a trigger does not match.
    enum Mismatch: String, CaseIterable {
        case path = "of other paths"
        case condition = "whose condition is false"
    }

    var batch: Int
    /// How many triggers do not match; nil for one trigger that always does.
    var triggers: Int?
    var mismatch = Mismatch.condition

    var detail: String {
        guard let triggers else { return "\(batch) in each commit, each notifies" }
        let kind = triggers == 0 ? "that do not match" : mismatch.rawValue
        return "\(batch) in each commit, \(triggers.grouped) triggers \(kind)"
    }

    /// Makes the triggers, measures, and deletes them.
    func run(_ course: Course) throws -> Outcome {
        let names = try makeTriggers(course)
        defer { for name in names { _ = try? course.admin().perform("DELETE", "/v1/triggers/\(name)") } }
        return try measure(course)
    }

    /// Measures with the present triggers.
    func measure(_ course: Course) throws -> Outcome {
        let before = try Commits.read(course)
        let folder = "products/load-\(course.run)-\(batch)-\(triggers ?? 1)-"
        let batches = DocumentBatches(course: course, batch: batch, atOnce: 1) { number in
            [
                "op": "put", "path": .string("\(folder)\(number)"),
                "data": ["title": "The Matrix", "year": 1999, "number": .integer(Int64(number))],
            ]
        }
        let crew = try batches.crew()
        var outcome = try course.measure(
            "writes", detail, connections: 1, crew: crew, times: [Self.time], isPaced: true)
        outcome.generator?.isPaced = false
        outcome.unit = "documents"
        outcome.facts += try Commits.read(course).since(before)
        let written = crew.board.count.load(ordering: .relaxed)
        outcome.faults = [("lost", try lost(of: written, folder, course))]
        if let triggers {
            // The point without any triggers belongs to both lines.
            for series in triggers == 0 ? Mismatch.allCases : [mismatch] {
                outcome.growth += outcome.cost(
                    Self.axis, triggers, "server CPU µs each document", series: series.rawValue)
            }
        }
        return outcome
    }

    /// Writes this many documents, as fast as possible.
    func write(before count: Int, _ course: Course) throws {
        let batches = DocumentBatches(course: course, batch: Self.batchMax, atOnce: 1) { number in
            guard number < count else { return nil }
            return [
                "op": "put", "path": .string("products/load-\(course.run)-before-\(number)"),
                "data": ["title": "The Matrix", "year": 1999, "number": .integer(Int64(number))],
            ]
        }
        try batches.run { _ in }
    }

    /// Reads some documents back: each must exist with its own number.
    private func lost(of written: Int, _ folder: String, _ course: Course) throws -> Int {
        guard written > 0 else { return 1 }
        let calls = try course.admin()
        return (0..<min(written, Self.readBack)).count { place in
            let number = place * written / min(written, Self.readBack)
            let document = try? calls.perform("GET", "/v1/documents/\(folder)\(number)")
            return document?["data"]?["number"]?.integerValue != Int64(number)
        }
    }

    /// - Returns: the names of the triggers.
    func makeTriggers(_ course: Course) throws -> [String] {
        let calls = try course.admin()
        let count = triggers ?? 1
        var progress = ProgressLine()
        return try (0..<count).map { number in
            progress.show("making triggers: \(number.grouped) of \(count.grouped)")
            let name = "load-\(course.run)-\(number)"
            let trigger: JSONValue = [
                "name": .string(name), "event": "write",
                "path": .string(
                    triggers != nil && mismatch == .path ? "others\(number)/{other}" : "products/{product}"),
                "condition": .string(
                    triggers == nil || mismatch == .path ? "" : "after ->> 'year' > \(3_000 + number)"),
                "audience": "followers:station:load",
                "kind": "load", "title": "{{after.title}}", "body": "{{after.title}}",
            ]
            _ = try calls.perform("PUT", "/v1/triggers/\(name)", trigger)
            return name
        }
    }
}
