/// When results are handed to the writer: new ones at once, and from time to time all that the database does not show
/// yet, since the writer may have failed to commit some. A pure value: the time, in milliseconds of a monotonic clock,
/// is a parameter.
///
/// - Confinement: any
package struct HandOver<Result: Sendable>: Sendable {
    /// Results since the last call of ``due(of:at:repeatMilliseconds:)``.
    private var new: [Result] = []
    private var repeatedAt: Int64?

    package init() {}

    /// Notes a new result.
    package mutating func add(_ result: Result) { new.append(result) }

    /// The results to hand over now.
    ///
    /// - Parameter unsettled: all that the database does not show yet, the new ones included.
    package mutating func due(
        of unsettled: some Collection<Result>, at now: Int64, repeatMilliseconds: Int64
    ) -> [Result] {
        defer { new = [] }
        guard !unsettled.isEmpty else {
            repeatedAt = nil
            return new
        }
        guard now - (repeatedAt ?? now) >= repeatMilliseconds else {
            repeatedAt = repeatedAt ?? now
            return new
        }
        repeatedAt = now
        return Array(unsettled)
    }
}
