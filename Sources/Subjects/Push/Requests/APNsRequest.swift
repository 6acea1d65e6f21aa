import Digits
import JSON
package import Model

/// Where APNs is, and what Apple has allowed.
///
/// - Confinement: any
package struct APNsService: Sendable, Hashable {
    /// Another address than Apple's, for tests; nil for Apple's.
    package var url: String?
    /// Whether Apple lets this app send critical alerts.
    package var isCriticalAllowed: Bool

    package init(url: String? = nil, isCriticalAllowed: Bool) {
        self.url = url
        self.isCriticalAllowed = isCriticalAllowed
    }

    fileprivate func url(of environment: APNsEnvironment) -> String {
        if let url { return url }
        switch environment {
        case .production: return "https://api.push.apple.com"
        case .sandbox: return "https://api.sandbox.push.apple.com"
        }
    }
}

/// The request to the Apple Push Notification service ("Sending notification requests to APNs").
///
/// - Confinement: any
package enum APNsRequest {
    /// Makes the request.
    ///
    /// - Parameters:
    ///   - environment: The target's own, or the other one after `BadDeviceToken`.
    ///   - id: A UUID by which Apple's tools find the push; see ``APNsRequestID``.
    ///   - token: see ``APNsTokens``.
    /// - Throws: the error of the sealing.
    package static func make(
        _ content: PushContent, to target: APNsTarget, in environment: APNsEnvironment, of service: APNsService,
        cover: PushCover, id: String, token: String, at now: Timestamp
    ) throws -> PushRequest {
        let (body, gone) = try body(content, cover, isCriticalAllowed: service.isCriticalAllowed)
        let isWithdrawal = content.kind == .withdrawal
        let seconds = PushLifetime.seconds(until: content.ends, at: now)
        let expiration = seconds == 0 ? 0 : now.milliseconds / 1000 + seconds
        var fields = [
            PushRequest.Field("authorization", "bearer " + token),
            PushRequest.Field("apns-topic", target.topic),
            PushRequest.Field("apns-push-type", isWithdrawal ? "background" : "alert"),
            PushRequest.Field("apns-priority", content.urgency.isInterrupting ? "10" : "5"),
            PushRequest.Field("apns-expiration", String(expiration)),
            PushRequest.Field("apns-id", id),
            PushRequest.Field("content-type", "application/json"),
        ]
        if let entry = content.envelope.entry {
            fields.append(PushRequest.Field("apns-collapse-id", entry.tag.text))
        }
        return PushRequest(
            url: service.url(of: environment) + "/3/device/" + target.token, fields: fields, body: body, gone: gone)
    }

    private static func body(
        _ content: PushContent, _ cover: PushCover, isCriticalAllowed: Bool
    ) throws -> (bytes: [UInt8], gone: [PushTag]) {
        func payload(_ shown: PushContent) -> [UInt8] {
            self.payload(shown, isCriticalAllowed: isCriticalAllowed) { writer in
                writer.name("ww")
                shown.envelope.write(to: &writer)
            }
        }
        switch cover {
        case .full, .hidden:
            let shown = if case .hidden = cover { content.hidden } else { content }
            let fitted = shown.fitted(to: PushLimits.payloadBytesMax, payload)
            return (fitted.bytes, fitted.content.envelope.gone)
        case .sealed(let seal):
            let fitted = content.fitted(to: PushLimits.sealedBytesMax) { $0.plainJSON }
            let sealed = Base64.url.text(of: try seal(fitted.bytes))
            let bytes = self.payload(content.hidden, isCriticalAllowed: isCriticalAllowed) {
                $0.member("sealed", sealed)
            }
            return (bytes, fitted.content.envelope.gone)
        }
    }

    /// - Parameter writeRest: writes the members beside `aps`.
    private static func payload(
        _ content: PushContent, isCriticalAllowed: Bool, _ writeRest: (inout JSONWriter) -> Void
    ) -> [UInt8] {
        var writer = JSONWriter(capacity: 1024)
        writer.beginObject()
        writer.name("aps")
        writer.beginObject()
        if content.kind == .withdrawal {
            writer.member("content-available", 1)
        } else {
            writeAlert(content, isCriticalAllowed: isCriticalAllowed, to: &writer)
        }
        writer.endObject()
        writeRest(&writer)
        writer.endObject()
        return writer.bytes
    }

    private static func writeAlert(_ content: PushContent, isCriticalAllowed: Bool, to writer: inout JSONWriter) {
        let isCritical = content.urgency == .critical && isCriticalAllowed
        writer.name("alert")
        writer.beginObject()
        writer.member("title", content.title)
        if !content.body.isEmpty { writer.member("body", content.body) }
        writer.endObject()
        writer.member("badge", content.envelope.badge)
        if isCritical {
            writer.member("sound", ["critical": 1, "name": "default", "volume": 1] as JSONValue)
        } else if content.urgency.isInterrupting {
            writer.member("sound", "default")
        }
        if let thread = content.thread { writer.member("thread-id", thread) }
        let level =
            switch content.urgency {
            case .active, .digest: "active"
            case .timeSensitive: "time-sensitive"
            case .critical: isCritical ? "critical" : "time-sensitive"
            case .quietUpdate, .withdrawal: "passive"
            }
        writer.member("interruption-level", level)
        writer.member("mutable-content", 1)
    }
}

/// The ids of requests to APNs.
///
/// - Confinement: any
package enum APNsRequestID {
    /// A random UUID in its usual form (RFC 9562, section 5.4).
    package static func random(using random: inout some RandomNumberGenerator) -> String {
        let high = random.next() & 0xffff_ffff_ffff_0fff | 0x4000
        let low = random.next() & 0x3fff_ffff_ffff_ffff | 0x8000_0000_0000_0000
        let bytes = [high, low].flatMap { word in stride(from: 56, through: 0, by: -8).map { UInt8(word >> $0 & 0xff) }
        }
        var text: [UInt8] = []
        text.reserveCapacity(36)
        for (index, digit) in Hexadecimal.encode(bytes).enumerated() {
            if index == 8 || index == 12 || index == 16 || index == 20 { text.append(UInt8(ascii: "-")) }
            text.append(digit)
        }
        return String(decoding: text, as: UTF8.self)
    }
}
