import JSON
import Model

/// How a request to a push service ended.
///
/// - Confinement: any
package enum PushAnswer: Sendable, Hashable {
    case answered(PushResponse)
    /// The connection ended while the request was under way, after a GOAWAY for example: the push may have been taken.
    case brokenOff(reason: String)
    /// There was no answer: no connection, no certificate that is trusted, not in time.
    case unanswered(reason: String)

    /// One line for lists.
    var line: String {
        switch self {
        case .answered(let response): response.line
        case .brokenOff(let reason), .unanswered(let reason): AnswerText.line(reason)
        }
    }
}

/// The answer of a push service.
///
/// - Confinement: any
package struct PushResponse: Sendable, Hashable {
    package let status: Int
    /// The field `Retry-After` as it came.
    package let retryAfter: String?
    package let body: [UInt8]

    package init(status: Int, retryAfter: String? = nil, body: [UInt8] = []) {
        self.status = status
        self.retryAfter = retryAfter
        self.body = body
    }

    /// Milliseconds that the service wants to be left alone, within a range; nil when it does not say.
    func pause(at now: Timestamp, within bounds: ClosedRange<Int64>) -> Int64? {
        retryAfter.flatMap { RetryAfter.milliseconds($0, at: now, within: bounds) }
    }

    /// The body as a JSON object; empty when it is something else, an HTML page of a proxy for example.
    var json: JSONObject {
        do {
            return try JSONValue(parsing: body).objectValue ?? JSONObject()
        } catch {
            return JSONObject()
        }
    }

    /// The status and the beginning of the body.
    fileprivate var line: String {
        let text = AnswerText.line(String(decoding: body.prefix(AnswerText.charactersMax), as: UTF8.self))
        return text.isEmpty ? "\(status)" : "\(status) \(text)"
    }
}

/// Foreign texts for lists and terminals.
///
/// - Confinement: any
enum AnswerText {
    static let charactersMax = 200

    /// The visible ASCII characters, with single spaces for all others: push services write their answers in English.
    static func line(_ text: String) -> String {
        let shown = text.utf8.prefix(4 * charactersMax).map { (0x21...0x7e).contains($0) ? $0 : 0x20 }
        let words = String(decoding: shown, as: UTF8.self).split(separator: " ")
        return String(words.joined(separator: " ").prefix(charactersMax))
    }
}

/// The body of an answer of APNs that is not 200.
///
/// - Confinement: any
struct APNsError: Sendable, Hashable {
    /// `BadDeviceToken`; empty when the body names none.
    let reason: String
    /// Only with 410: since when the token is not valid.
    let timestamp: Timestamp?

    /// Never fails: an unknown body gives an empty reason.
    init(_ response: PushResponse) {
        let object = response.json
        reason = AnswerText.line(object["reason"]?.stringValue ?? "")
        timestamp = object["timestamp"]?.integerValue.map { Timestamp(milliseconds: $0) }
    }
}

/// The body of an answer of FCM that is not 200 (`google.rpc.Status`).
///
/// - Confinement: any
struct FCMError: Sendable, Hashable {
    /// `UNREGISTERED`; empty when the body names none.
    let code: String
    /// Whether a wrong argument is the device's token, and not our message.
    let isAboutToken: Bool

    /// Never fails: an unknown body gives an empty code.
    init(_ response: PushResponse) {
        let error = response.json["error"]
        let details = error?["details"]?.arrayValue ?? []
        func detail(_ type: String) -> JSONValue? {
            details.first { $0["@type"]?.stringValue?.hasSuffix(type) == true }
        }
        code = AnswerText.line(detail("fcm.v1.FcmError")?["errorCode"]?.stringValue ?? "")
        let violations = detail("google.rpc.BadRequest")?["fieldViolations"]?.arrayValue ?? []
        // Some answers name the field, and others only say it in their message.
        isAboutToken =
            violations.contains { ["message.token", "message.fid"].contains($0["field"]?.stringValue) }
            || error?["message"]?.stringValue?.contains("registration token is not") == true
    }
}
