import JSON
package import Model

/// The request to a Web Push service (RFC 8030), also for UnifiedPush, which is the same since its third specification
/// for Android.
///
/// - Confinement: any
package enum WebPushRequest {
    /// Makes the request.
    ///
    /// - Parameters:
    ///   - isSilenceAllowed: true for UnifiedPush: a native app may get pushes that show nothing. A browser ends the
    ///     subscription after a few of them.
    ///   - isHidden: for the privacy `hidden`. For the service every push is sealed.
    ///   - authorization: see ``VAPIDTokens``.
    ///   - seal: encrypts for the subscription's keys.
    /// - Returns: nil for a withdrawal that the device would have to show.
    package static func make(
        _ content: PushContent, to endpoint: WebAddress, isSilenceAllowed: Bool, isHidden: Bool, authorization: String,
        at now: Timestamp, seal: PushSealing
    ) rethrows -> PushRequest? {
        if content.kind == .withdrawal, !isSilenceAllowed { return nil }
        let shown = isHidden ? content.hidden : content
        let fitted = shown.fitted(to: PushLimits.payloadBytesMax, payload)
        var fields = [
            PushRequest.Field("TTL", String(PushLifetime.seconds(until: content.ends, at: now))),
            PushRequest.Field("Urgency", urgency(content.urgency)),
        ]
        // Withdrawals name different tags, so none may replace another.
        if let entry = content.envelope.entry { fields.append(PushRequest.Field("Topic", entry.tag.text)) }
        fields += [
            PushRequest.Field("Content-Encoding", "aes128gcm"),
            PushRequest.Field("Content-Type", "application/octet-stream"),
            PushRequest.Field("Authorization", authorization),
        ]
        return PushRequest(
            url: endpoint.text, fields: fields, body: try seal(fitted.bytes), gone: fitted.content.envelope.gone)
    }

    /// RFC 8030, section 5.3.
    private static func urgency(_ urgency: PushUrgency) -> String {
        switch urgency {
        case .active: "normal"
        case .timeSensitive, .critical: "high"
        case .quietUpdate, .digest, .withdrawal: "low"
        }
    }

    /// The declarative form (Push API, "declarative push message"): some browsers show it without our code, and the
    /// others give it to our worker.
    ///
    /// That form needs an address to open. Without one the members of the form are left out, and every browser gives the
    /// push to the worker.
    static func payload(_ content: PushContent) -> [UInt8] {
        var writer = JSONWriter(capacity: 1024)
        writer.beginObject()
        let navigate = content.navigate
        if content.kind != .withdrawal {
            if navigate != nil { writer.member("web_push", 8030) }
            writer.name("notification")
            writeNotification(content, navigate: navigate, to: &writer)
            if navigate != nil {
                writer.member("app_badge", content.envelope.badge)
                writer.member("mutable", true)
            }
        }
        writer.name("ww")
        content.envelope.write(to: &writer)
        writer.endObject()
        return writer.bytes
    }

    private static func writeNotification(_ content: PushContent, navigate: String?, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("title", content.title)
        if !content.body.isEmpty { writer.member("body", content.body) }
        if let navigate { writer.member("navigate", navigate) }
        if let entry = content.envelope.entry { writer.member("tag", entry.tag.text) }
        if let language = content.language { writer.member("lang", language.text) }
        writer.member("dir", "auto")
        writer.member("silent", content.urgency == .quietUpdate)
        if content.urgency.isInterrupting { writer.member("renotify", true) }
        if content.urgency == .critical { writer.member("requireInteraction", true) }
        writer.member("app_badge", String(content.envelope.badge))
        writer.endObject()
    }
}
