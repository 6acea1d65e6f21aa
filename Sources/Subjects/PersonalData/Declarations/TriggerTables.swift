/// The tables of triggers, of what waits for them, and of webhooks.
///
/// - Confinement: any
enum TriggerTables {
    static let triggers = TableDeclaration(
        key: ["name"], [.texts("name", "row", are: .operators), .numbers("seq")],
        export: .omitted("has no person"), kept: .state("until an administrator deletes the row"))

    static let schedules = TableDeclaration(
        key: ["trigger", "path"],
        [
            .texts("trigger", "webhook", are: .operators), .trace("path", .path), .numbers("due", "change"),
            .trace("wanted", .words),
        ],
        traces: .step(.schedules), export: .omitted("what waits comes as a notification"),
        kept: .state("until its time, or until the document changes"))

    static let fired = TableDeclaration(
        key: ["path", "trigger"], [.trace("path", .path), .texts("trigger", are: .operators)],
        traces: .rowGoes, export: .omitted("has no person"), kept: .state("until the trigger is armed again"))

    static let interruptions = TableDeclaration(
        key: ["seq"],
        [
            .numbers("seq", "until"), .texts("trigger", are: .operators),
            .person("stream", .handled("goes when its window ends; it says no more than a number")),
            .trace("subject", .words),
        ],
        traces: .step(.notificationWords), export: .omitted(Self.work),
        kept: .swept("TriggerStateTable deletes those whose window has ended"))

    static let dead = TableDeclaration(
        key: ["id"],
        [
            .numbers("id", "change", "at", "job", "push_job"), .texts("trigger", are: .operators),
            .trace("path", .path), .trace("reason", .words),
            .person("device", .handled("the number of a registration, which deleteDevices takes")),
        ],
        traces: .step(.deadLetters), export: .omitted(Self.work),
        kept: .swept("TrimLog deletes them with the log, and those of jobs after a time"))

    static let webhookEndpoints = TableDeclaration(
        key: ["id"],
        [
            .numbers("id", "disabled", "failures", "tried", "status"), .texts("url", are: .operators),
            .texts("answer", are: .foreign),
        ],
        export: .omitted("has no person"), kept: .state("bounded by the addresses in rows of the trigger table"))

    static let webhookJobs = TableDeclaration(
        key: ["id"],
        [
            .numbers("id", "change", "endpoint", "at", "due", "attempts", "tries", "tried", "status"),
            .trace("path", .path), .trace("event", .words), .trace("data", .words),
            .texts("trigger", "chain", are: .operators), .texts("name", are: .made), .texts("state", are: .word),
            .texts("answer", are: .foreign),
        ],
        traces: .step(.webhooks), export: .omitted("what the operator's own servers get"),
        kept: .swept("TrimLog deletes delivered ones after a time, dead ones with their letters"))

    private static let work = "the server's own work, which ends by itself"
}
