import Store

/// The tables of pushes.
///
/// - Confinement: any
enum PushTables {
    static let devices = TableDeclaration(
        key: ["id"],
        [
            .numbers("id", "token_issued", "registered", "used", "succeeded", "failures", "withdrawn"),
            .person("user", .handled("deleteDevices ends all of the person's")),
            .texts(
                "device", "platform", "target", "target_kind", "public_key", "secret", "topic", "environment",
                "privacy", "open", "language", "server_key", "token_id", "problem",
                are: .handled("deleteDevices takes the row")),
        ],
        export: .lines([deviceLines, tokenLines]),
        kept: .swept("PushDeviceTable.deleteUnused ends those that nobody used for long"))

    static let jobs = TableDeclaration(
        key: ["id"],
        [
            .numbers(
                "id", "seq", "shared", "chat_from", "judged", "at", "due", "ends", "previous", "large", "cursor",
                "pushed", "skipped", "failed"),
            .person("stream", .handled("a job ends in hours, and goes with the sweep of ended jobs")),
            .texts("kind", "level", "state", are: .word),
        ],
        export: .omitted(Self.work), kept: .swept("PushJobTable.trim deletes ended jobs"))

    static let tries = TableDeclaration(
        key: ["job", "device"],
        [
            .numbers("job", "attempts", "due", "status", "at"),
            .person("device", .handled("the number of a registration, which deleteDevices takes")),
            .texts("variant", "state", are: .word), .texts("answer", are: .foreign),
        ],
        export: .omitted(Self.work), kept: .with(.pushJobs))

    static let gone = TableDeclaration(
        key: ["id"],
        [
            .numbers("id", "seq", "chat", "at"),
            .person("device", .handled("a trigger deletes it with the registration")),
        ],
        export: .omitted(Self.work), kept: .state("until the push that takes something back was sent"))

    private static let work = "the server's own work, which ends by itself"

    private static let deviceLines = ExportedLines(
        "device", place: "device",
        """
        'device', device, 'platform', platform, 'target', target, 'environment', environment, 'privacy', privacy,
        'open', open, 'language', language, 'registered', \(ExportedLines.time("registered")),
        'used', \(ExportedLines.time("used"))
        """,
        from: "push_devices", of: "user = ?1")

    private static let tokenLines = ExportedLines(
        "session", place: "device",
        "'device', device, 'token', token_id, 'issued', \(ExportedLines.time("token_issued"))",
        from: "push_devices", of: "user = ?1 AND token_id IS NOT NULL")
}
