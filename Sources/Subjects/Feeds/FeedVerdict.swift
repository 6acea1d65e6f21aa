import JSON
package import Model

/// The meaning of an answer's status, before its body is read.
///
/// - Confinement: any
package enum FeedVerdict: Sendable, Hashable {
    /// The body has content.
    case content
    /// The content is the same as before.
    case unchanged
    /// The target does not exist, or not any more.
    case gone
    /// The key is wrong or missing: other requests would fail, too.
    case refused(String)
    /// It has moved to another address, as far as it says where to.
    case moved(status: Int, to: String?)
    /// Too many requests; the milliseconds until the next one is allowed.
    case limited(waitMilliseconds: Int64?)
    /// The source has a problem.
    case failed(String, waitMilliseconds: Int64?)

    /// - Parameters:
    ///   - target: The target of the request.
    ///   - retryAfter: The header field: seconds or a date (RFC 9110 section 10.2.3).
    ///   - location: The header field of a redirect.
    ///   - body: The source's words about an error are taken from it.
    package init(
        status: Int, of target: FeedTarget, retryAfter: String?, location: String? = nil, body: [UInt8], now: Timestamp
    ) {
        switch status {
        case 200: self = .content
        case 304: self = .unchanged
        case 404, 410: self = .gone
        // GIOŚ answers this for a sensor that people read: its values come weeks later, and not through this interface.
        case 400 where target.isValues: self = .gone
        case 401, 403: self = .refused("it answered with status \(status)\(Self.words(body))")
        case 429: self = .limited(waitMilliseconds: Self.wait(retryAfter, now: now))
        case 301, 302, 303, 307, 308: self = .moved(status: status, to: location)
        default:
            self = .failed(
                "it answered with status \(status)\(Self.words(body))",
                waitMilliseconds: status == 503 ? Self.wait(retryAfter, now: now) : nil)
        }
    }

    /// A redirect as a phrase.
    ///
    /// - Parameters:
    ///   - location: The new address; nil where it must not be shown, because addresses may have keys in them.
    ///   - url: The address that was asked, which completes a relative one.
    package static func moved(_ status: Int, to location: String?, from url: String) -> String {
        let place = location.flatMap { WebLink.address($0, base: url) }
        let way = place.map { " to \(PlainText.of($0, charactersMax: 500))" } ?? ""
        return "it answered with status \(status): it has moved\(way); configure its new address"
    }

    private static func wait(_ field: String?, now: Timestamp) -> Int64? {
        guard let text = field.map({ PlainText.cut($0, to: 64) }), !text.isEmpty else { return nil }
        let milliseconds: Int64
        if let seconds = Int64(text) {
            let (product, isOver) = seconds.multipliedReportingOverflow(by: 1000)
            milliseconds = isOver ? FeedLimits.retryAfterMax : product
        } else if let date = FeedDate.read(text) {
            milliseconds = date.milliseconds - now.milliseconds
        } else {
            return nil
        }
        return min(max(milliseconds, 0), FeedLimits.retryAfterMax)
    }

    /// TMDB's `{"status_code": 7, "status_message": "Invalid API key …"}`.
    private static func words(_ body: [UInt8]) -> String {
        guard body.count <= 4096, let json = try? JSONValue(parsing: body),
            let message = json["status_message"]?.stringValue ?? json["message"]?.stringValue
        else { return "" }
        return ": " + PlainText.of(message, charactersMax: 120)
    }
}
