import Model

/// How often the keys of issuers are fetched; times in milliseconds.
///
/// - Confinement: any
package struct KeyPace: Sendable, Hashable {
    /// How long keys are used when the issuer does not say it.
    package var freshMilliseconds = IssuerKeyLimits.freshMilliseconds
    /// Bounds of that time, whatever the issuer says.
    package var freshBounds = IssuerKeyLimits.freshBounds
    package var fileMilliseconds = IssuerKeyLimits.fileMilliseconds
    /// Shortest time between two fetches that tokens with unknown keys cause.
    package var wantedMilliseconds = IssuerKeyLimits.wantedMilliseconds
    /// The wait after the first failure in a row, and the longest wait.
    package var retryBounds = IssuerKeyLimits.retryBounds
    /// The longest time for a whole answer.
    package var answerMilliseconds = IssuerKeyLimits.answerMilliseconds

    package init() {}

    /// How long an answer may be used, by its header fields (RFC 9111, sections 4.2.3 and 5.2.2).
    ///
    /// - Parameters:
    ///   - cacheControl: for example `public, max-age=19008, must-revalidate`.
    ///   - age: seconds that the answer spent in caches on the way.
    package func fresh(cacheControl: String?, age: String?) -> Int64 {
        var seconds: Int64?
        for directive in (cacheControl ?? "").lowercased().split(separator: ",") {
            let sides = directive.split(separator: "=", maxSplits: 1).map { $0.filter { $0 != " " && $0 != "\"" } }
            switch sides.first {
            case "no-cache", "no-store": return freshBounds.lowerBound
            case "max-age": seconds = sides.count == 2 ? Int64(sides[1]) : nil
            default: break
            }
        }
        guard let seconds else { return clamped(freshMilliseconds) }
        let (left, isBelow) = seconds.subtractingReportingOverflow(max(0, age.flatMap { Int64($0) } ?? 0))
        let (milliseconds, isAbove) = left.multipliedReportingOverflow(by: 1000)
        if isBelow || left < 0 { return freshBounds.lowerBound }
        return isAbove ? freshBounds.upperBound : clamped(milliseconds)
    }

    private func clamped(_ milliseconds: Int64) -> Int64 {
        min(max(milliseconds, freshBounds.lowerBound), freshBounds.upperBound)
    }
}
