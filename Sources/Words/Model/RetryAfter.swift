/// The header field `Retry-After`, with which a server asks for a pause (RFC 9110, section 10.2.3).
///
/// - Confinement: any
package enum RetryAfter {
    /// Milliseconds to wait, within bounds; nil when the value is not valid.
    package static func milliseconds(_ text: String, at now: Timestamp, within bounds: ClosedRange<Int64>) -> Int64? {
        milliseconds(text, at: now).map { min(max($0, bounds.lowerBound), bounds.upperBound) }
    }

    /// The same without bounds: a date in the past gives less than 0.
    static func milliseconds(_ text: String, at now: Timestamp) -> Int64? {
        let isNumber = !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
        if isNumber {
            guard let seconds = Int64(text) else { return .max }
            let (product, isMore) = seconds.multipliedReportingOverflow(by: 1000)
            return isMore ? .max : product
        }
        return date(text).map { $0.milliseconds - now.milliseconds }
    }

    /// `Sun, 06 Nov 1994 08:49:37 GMT`, the form that servers must send.
    private static func date(_ text: String) -> Timestamp? {
        let parts = text.split(separator: " ").map(String.init)
        guard parts.count == 6, parts[0].hasSuffix(","), parts[5] == "GMT",
            let month = CivilDate.monthsInHeaders.firstIndex(of: parts[2])
        else { return nil }
        let digits = month + 1 < 10 ? "0\(month + 1)" : "\(month + 1)"
        return Timestamp("\(parts[3])-\(digits)-\(parts[1])T\(parts[4])Z")
    }
}
