import JSON

/// The work of the server's writer: how many writes share one commit, and so one fsync.
struct Commits {
    let commits: Double
    let writes: Double

    static func read(_ course: Course) throws(LoadFailure) -> Commits {
        let stats = try course.admin().perform("GET", "/v1/stats")
        return Commits(
            commits: stats["commits_total"]?.numberValue ?? 0, writes: stats["writes_total"]?.numberValue ?? 0)
    }

    /// The difference to an earlier reading, as facts of an outcome.
    func since(_ before: Commits) -> [(name: String, value: Double)] {
        guard commits > before.commits else { return [] }
        return [("writes per commit", (writes - before.writes) / (commits - before.commits))]
    }
}
