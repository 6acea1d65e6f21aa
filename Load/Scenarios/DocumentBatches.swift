import JSON

/// Documents written over the HTTP API, several in each request; a request is one commit.
struct DocumentBatches: Sendable {
    let course: Course
    let batch: Int
    /// Requests at the same time.
    let atOnce: Int
    /// The nth write; nil after the last one.
    let write: @Sendable (Int) -> JSONValue?

    init(course: Course, batch: Int, atOnce: Int, write: @escaping @Sendable (Int) -> JSONValue?) {
        self.course = course
        self.batch = batch
        self.atOnce = atOnce
        self.write = write
    }

    /// Writes all documents.
    func run(_ look: (Int) -> Void) throws {
        try Posting.finish(try crew(), "not all documents were written", look)
    }

    /// The crew of writers.
    func crew() throws -> Crew {
        guard let mint = course.mint, let admin = course.user("admin") else {
            throw LoadFailure("this server has no administrator")
        }
        let token = mint.token(for: admin, isAdmin: true)
        let posting = Posting(
            server: course.server, target: "/v1/documents", token: token, atOnce: atOnce, time: WritesScenario.time
        ) { [self] first in
            let writes = (first..<first + batch).map(write).prefix { $0 != nil }.compactMap(\.self)
            guard !writes.isEmpty else { return nil }
            return (["writes": .array(writes)], writes.count)
        }
        return try posting.crew()
    }
}
