package import Model

/// Begins or renews a session.
///
/// - Confinement: any
package struct HelloCommand: Command {
    package static let name = "hello"
    package static let isRepeatable = false
    package static let isOfSession = true
    package static let needsSession = true

    /// Nil when the request of the upgrade had the token.
    package var token: String?
    /// A later connection with the same device replaces this one.
    package var device: String?
    /// The client wants the events that it missed after this point.
    package var since: ResumePoint?
    /// Answers of the session show at least this, which the client has written by another connection.
    package var readAfter: ResumePoint?
    package var locale: LanguageTag?
    /// Name and version, for the operator.
    package var client: String?
}

extension HelloCommand {
    package static let form = CommandForm(
        [
            .may("token", .visible(FieldLimits.tokenBytesMax)),
            .may("device", .visible(FieldLimits.deviceBytesMax)),
            .may("since", .resumePoint, "Where the device stands; the events after it follow."),
            .may("readAfter", .resumePoint, "Where the last write of the client stands; what is read shows it."),
            .may("locale", .languageTag),
            .may("client", .text(0...FieldLimits.clientCharactersMax)),
        ],
        ok: [
            .user, .need("device", .visible(FieldLimits.deviceBytesMax)), .may("session", .id),
            .need("epoch", .visible(64)), .seq, .need("heartbeat", .count),
            .need(
                "limits",
                .object([
                    .need("messageBytes", .count), .need("commandsPerSecond", .count), .need("follows", .count),
                ])), .need("unread", .object(SharedForms.counts)), .need("server", .sentence), .need("time", .time),
            .may("push", .object([.need("webpush", .sentence)])),
        ])

    /// The position that the node must have before the session begins; nil when that does not matter.
    package var position: ResumePoint? {
        guard let since, let readAfter, since.epoch == readAfter.epoch else { return readAfter ?? since }
        return readAfter.seq > since.seq ? readAfter : since
    }

    /// The hello of a stream: its request names the device and the language in the query.
    ///
    /// - Throws: `bad-request`, naming `device` or `locale`.
    package init(device: String?, locale: String?) throws(Refusal) {
        if let device {
            self.device = try Field.visibleASCII(device, bytesMax: FieldLimits.deviceBytesMax, field: "device")
        }
        if let locale {
            guard let tag = LanguageTag(locale) else {
                throw .badRequest(field: "locale", "must be \(LanguageTag.form)")
            }
            self.locale = tag
        }
    }

    package init(_ fields: Fields) throws(Refusal) {
        token = try fields.optional("token")?.visibleASCII(bytesMax: FieldLimits.tokenBytesMax)
        device = try fields.optional("device")?.deviceID()
        since = try fields.optional("since")?.resumePoint()
        readAfter = try fields.optional("readAfter")?.resumePoint()
        locale = try fields.optional("locale")?.languageTag()
        client = try fields.optional("client")?.text(0...FieldLimits.clientCharactersMax)
    }
}
