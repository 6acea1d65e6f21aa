package import Model

/// The commands that keep a session.
extension Command {
    /// Where a device's knowledge ends: what follows is missing.
    package struct ResumePoint: Sendable, Hashable {
        package var epoch: Epoch
        package var seq: Position

        package init(epoch: Epoch, seq: Position) {
            self.epoch = epoch
            self.seq = seq
        }
    }

    /// Begins or renews a session.
    package struct Hello: Sendable, Hashable {
        /// Nil when the upgrade bore the token.
        package var token: String?
        /// A later connection with the same one replaces this.
        package var device: String?
        /// From where missed events are wanted.
        package var since: ResumePoint?
        package var locale: LanguageTag?
        /// Name and version, for the operator.
        package var client: String?

        package init(
            token: String? = nil,
            device: String? = nil,
            since: ResumePoint? = nil,
            locale: LanguageTag? = nil,
            client: String? = nil
        ) {
            self.token = token
            self.device = device
            self.since = since
            self.locale = locale
            self.client = client
        }
    }

    /// What this device has safely handled.
    package struct Ack: Sendable, Hashable {
        package var seq: Position

        package init(seq: Position) {
            self.seq = seq
        }
    }

    /// Whose presence is wanted from now on; none ends it.
    package struct Presence: Sendable, Hashable {
        package var watch: [UserID]

        package init(watch: [UserID]) {
            self.watch = watch
        }
    }
}

extension Command.Hello {
    /// A `hello` whose members come as texts, such as the items of a query, and are checked like those of the command.
    ///
    /// - Throws: `Refusal` (`bad-request`) naming the member.
    package init(device: String?, locale: String?) throws(Refusal) {
        self.device = try device.map { text throws(Refusal) in
            try Field.visibleASCII(text, bytesMax: FieldLimits.deviceBytesMax, field: "device")
        }
        self.locale = try locale.map { text throws(Refusal) in
            guard let tag = LanguageTag(text) else { throw .badRequest(field: "locale", "must be \(LanguageTag.form)") }
            return tag
        }
    }

    init(_ fields: Fields) throws(Refusal) {
        token = try fields.optional("token")?.visibleASCII(bytesMax: FieldLimits.tokenBytesMax)
        device = try fields.optional("device")?.deviceID()
        since = try fields.optional("since")?.resumePoint()
        locale = try fields.optional("locale")?.languageTag()
        client = try fields.optional("client")?.text(0...FieldLimits.clientCharactersMax)
    }
}

extension Command.Ack {
    init(_ fields: Fields) throws(Refusal) {
        seq = try fields.required("seq").position()
    }
}

extension Command.Presence {
    init(_ fields: Fields) throws(Refusal) {
        watch = try fields.required("watch").users(0...Limits.presenceWatchMax)
    }
}

extension Field {
    func resumePoint() throws(Refusal) -> Command.ResumePoint {
        let fields = try object()
        let epoch = try fields.required("epoch").form("1 to 64 visible ASCII characters") { Epoch($0) }
        return Command.ResumePoint(epoch: epoch, seq: try fields.required("seq").position())
    }
}
