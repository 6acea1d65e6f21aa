import Digits
import JSON
package import Model

/// Where FCM is, and the project that the app belongs to.
///
/// - Confinement: any
package struct FCMService: Sendable, Hashable {
    /// Google's address, or another one for tests.
    package var url: String
    /// The project's id of the service account.
    package var project: String

    package init(url: String = "https://fcm.googleapis.com", project: String) {
        self.url = url
        self.project = project
    }
}

/// The request to Firebase Cloud Messaging for an Android app (HTTP v1, `projects.messages.send`).
///
/// - Confinement: any
package enum FCMRequest {
    /// Makes the request.
    ///
    /// - Parameter token: an access token; see ``FCMTokens``.
    /// - Throws: the error of the sealing.
    package static func make(
        _ content: PushContent, to target: FCMTarget, of service: FCMService, cover: PushCover, token: String,
        at now: Timestamp
    ) throws -> PushRequest {
        let message = try Message(content, cover)
        var writer = JSONWriter(capacity: 2048)
        writer.beginObject()
        writer.name("message")
        writer.beginObject()
        switch target {
        case .token(let token): writer.member("token", token)
        case .installation(let id): writer.member("fid", id)
        }
        writer.name("data")
        writer.beginObject()
        for (name, value) in message.data { writer.member(name, value) }
        writer.endObject()
        writer.name("android")
        writeAndroid(message, seconds: PushLifetime.seconds(until: content.ends, at: now), to: &writer)
        writer.endObject()
        writer.endObject()
        return PushRequest(
            url: "\(service.url)/v1/projects/\(service.project)/messages:send",
            fields: [
                PushRequest.Field("Authorization", "Bearer " + token),
                PushRequest.Field("Content-Type", "application/json"),
            ],
            body: writer.bytes, gone: message.shown.envelope.gone)
    }

    private static func writeAndroid(_ message: Message, seconds: Int64, to writer: inout JSONWriter) {
        let urgency = message.shown.urgency
        writer.beginObject()
        // A device keeps four collapse keys at most; shown notifications are replaced by their tag.
        if urgency == .withdrawal { writer.member("collapseKey", "sync") }
        writer.member("priority", urgency.isInterrupting ? "HIGH" : "NORMAL")
        writer.member("ttl", "\(seconds)s")
        if message.isDrawnBySystem {
            writer.name("notification")
            writeNotification(message.shown, channel: urgency.channel, to: &writer)
        }
        writer.endObject()
    }

    private static func writeNotification(_ content: PushContent, channel: String, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("title", content.title)
        if !content.body.isEmpty { writer.member("body", content.body) }
        if let entry = content.envelope.entry { writer.member("tag", entry.tag.text) }
        writer.member("channelId", channel)
        writer.member("notificationCount", min(content.envelope.badge, Int64(Int32.max)))
        writer.member("eventTime", content.envelope.at.text)
        writer.endObject()
    }
}

extension FCMRequest {
    /// The content for the device: `data`, whose values are all strings, and the notification that Android draws itself.
    private struct Message {
        /// Fitted.
        let shown: PushContent
        let data: [(name: String, value: String)]
        let isDrawnBySystem: Bool

        /// An app draws a hidden or sealed push itself, so it gets the channel; a sealed one names it inside.
        init(_ content: PushContent, _ cover: PushCover) throws {
            switch cover {
            case .full:
                shown = content.fitted(to: PushLimits.payloadBytesMax) { $0.plainJSON }.content
                data = [("ww", shown.envelopeText)]
                isDrawnBySystem = content.kind != .withdrawal
            case .hidden:
                shown = content.hidden.fitted(to: PushLimits.payloadBytesMax) { $0.plainJSON }.content
                let texts = [("title", shown.title), ("channel", shown.urgency.channel)]
                data = (content.kind == .withdrawal ? [] : texts) + [("ww", shown.envelopeText)]
                isDrawnBySystem = false
            case .sealed(let seal):
                let fitted = content.fitted(to: PushLimits.sealedBytesMax) { $0.plainJSON }
                shown = fitted.content
                data = [("sealed", Base64.url.text(of: try seal(fitted.bytes)))]
                isDrawnBySystem = false
            }
        }
    }
}

extension PushContent {
    fileprivate var envelopeText: String { String(decoding: envelope.bytes, as: UTF8.self) }
}
