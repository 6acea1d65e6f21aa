import JSON
import Model

/// One user's inbox filled to several sizes; at each size, the time of its newest page and of one more notification.
struct InboxScenario {
    static let axis = "notifications in the inbox"
    private static let batch = 500

    let sizes: [Int]

    func run(_ course: Course) throws -> [Outcome] {
        guard let mint = course.mint, let user = course.user("reader") else {
            throw LoadFailure("the run's name \(course.run) makes no user")
        }
        let admin = try course.admin()
        let trigger: JSONValue = [
            "name": "load-inbox", "event": "write", "path": "parcels/{parcel}",
            "audience": .string("user:\(user.text)"), "kind": "load", "title": "{{after.title}}",
            "body": "{{after.title}}",
        ]
        _ = try admin.perform("PUT", "/v1/triggers/load-inbox", trigger)
        let reader = AdminCalls(server: course.server, token: mint.token(for: user))
        _ = try reader.command(["type": "notifications"])
        let times = Repeated(course: course, axis: Self.axis)
        var stored = 0
        return try sizes.sorted().flatMap { size in
            try fill(course, from: stored, to: size)
            let page = try times.time("the newest page of the inbox", size) {
                _ = try reader.command(["type": "notifications", "limit": 50])
            }
            var more = 0
            let one = try times.time("one more notification", size) {
                let path = "parcels/more-\(size)-\(more)"
                more += 1
                let write: JSONValue = ["op": "put", "path": .string(path), "data": ["title": "one more"]]
                _ = try admin.perform("POST", "/v1/documents", ["writes": [write]])
            }
            stored = size + more
            return [page, one]
        }
    }

    private func fill(_ course: Course, from stored: Int, to size: Int) throws {
        let batches = DocumentBatches(course: course, batch: Self.batch, atOnce: 2) { number in
            guard stored + number < size else { return nil }
            return ["op": "put", "path": .string("parcels/\(stored + number)"), "data": ["title": "here"]]
        }
        var progress = ProgressLine()
        try batches.run { progress.show("filling an inbox: \((stored + $0).grouped) of \(size.grouped)") }
        progress.clear()
    }
}
