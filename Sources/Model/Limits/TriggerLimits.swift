/// The bounds of a row of the trigger table and of the work it may cause, beside those of ``Model/Limits``.
///
/// - Confinement: any
package enum TriggerLimits {
    /// Bytes of a condition or an `at` expression: a page of text; longer is a program.
    package static let expressionBytesMax = 8 * 1024
    /// Later changes that one slice of a replay looks at for what withdraws or rearms: a tenth of a second of the writer.
    package static let laterChangesMax = 2_000
    /// Bytes of one template: several times what is left of a body after the cut.
    package static let templateBytesMax = 4 * 1024
    /// Sections inside sections in a template: they are read and rendered by recursion.
    package static let templateDepthMax = 8
    /// Look-ups and list elements one rendering may take: lists in lists multiply.
    package static let templateStepsMax = 20_000
    /// Bytes one rendering may put out before the cut, over all its texts.
    package static let templateBytesOut = 1024 * 1024
    /// Bytes of the rendered `collapse`: a chat's id and more. It is never cut, since two words with the same beginning
    /// would replace each other; push providers that take 64 bytes (APNs) want a digest of it.
    package static let collapseBytesMax = 512
    /// Bytes of `data` as a row gives it and as it is rendered; push providers take 4 KB in all.
    package static let dataBytesMax = 4 * 1024
    /// Languages of one title or body.
    package static let languagesMax = 64
    /// Names in a path pattern: one a level.
    package static let namesMax = Limits.documentPathLevelsMax
    /// Longest `ttl`: ten years of seconds, so that adding it to a time stays far from the end of the range.
    package static let ttlSecondsMax: Int64 = 315_360_000
    /// Bytes of a file of rows that a new folder begins with: hundreds of rows with texts in many languages.
    package static let fileBytesMax = 4 << 20
    /// How late the server may fire a row with `late: skip`: a restart, a busy hour.
    package static let lateMilliseconds: Int64 = 10 * 60_000
    /// The least time between two firings of a row with `repeat` for the same document.
    package static let repeatMillisecondsMin: Int64 = 60_000
    /// Other documents that a row reads: each is a look-up with every change that the row is shown.
    package static let otherDocumentsMax = 4
    /// Audiences in the list of a row.
    package static let audiencesMax = 8
    /// Longest window of a `throttle`: a month of seconds; who wants less than one a month wants another trigger.
    package static let throttleSecondsMax: Int64 = 2_678_400
    /// Most interruptions in the window of a `throttle`: each is a row that is counted with every notification.
    package static let throttleCountMax: Int64 = 1000
    /// Bytes of a webhook's address.
    package static let webhookBytesMax = 2048

    /// People shown of the audience of a test: enough to see who is meant; each is looked up.
    package static let testRecipientsMax = 200
    /// The same where nothing is said.
    package static let testRecipientsDefault = 20
    /// Changes on which one slice of a replay runs a trigger, each with a savepoint: 5 to 10 ms, what a chat waits anyway.
    package static let replayedChangesMax = 100
    /// Positions of the log that one slice of a replay looks through, which may hold nothing that the trigger watches.
    package static let replayedPositionsMax: Int64 = 5000
    /// Events of a stream that are looked through for when a notification was taken away.
    package static let explainedEventsMax = 2000
    /// Changes of a document that are explained at a time.
    package static let explainedChangesMax = 20
    /// Triggers that an answer to writes names although their condition was not true; what more there are are a number.
    package static let unmetReportsMax = 20
    /// Triggers that `/metrics` names; those that matched least are one line together.
    package static let namedInMetricsMax = 100

    /// Bytes of any value inside a condition: a document twice over. What SQLite does to one in a single step is not
    /// interrupted, and takes time in proportion.
    package static let conditionValueBytesMax: Int32 = 128 * 1024
    /// The same where the documents are small: this, and twice their bytes.
    package static let conditionValueBytesMin: Int32 = 16 * 1024
    /// Operators and calls of an expression times the bytes of the documents: what is written one after the other is not
    /// interrupted either. As much as 256 operations on a document of 64 KiB, or 16,000 on one of a kilobyte.
    package static let conditionOperationBytesMax = 16 << 20
    /// Time of the thread that an evaluation may take: four times what its steps take here, for slower machines. Where the
    /// steps are fewer it is less in proportion.
    package static let conditionMillisecondsMax = 20
    /// Comparisons of a character that take as long as a step.
    package static let comparisonsPerStep = 8
    /// Depth of a condition's expression tree, which SQLite walks by recursion.
    package static let conditionDepthMax: Int32 = 100
    /// Bytes of a LIKE or GLOB pattern: matching takes the square of it at worst.
    package static let conditionPatternBytesMax: Int32 = 256
    /// Arguments of a function in a condition.
    package static let conditionArgumentsMax: Int32 = 32
    /// Instructions of a compiled condition.
    package static let conditionInstructionsMax: Int32 = 10_000
    /// Bytes of documents up to which a condition has its whole budget of steps. A step over a larger one may take
    /// proportionally longer (a JSON function copies it), so beyond this the budget shrinks in proportion: to a quarter at
    /// 64 KiB, which still visits every element of a list that fills the document.
    package static let conditionBytesAtFullBudget = 16 * 1024
    /// Steps between two looks at the budget and the clock: some 2 µs, or as many calls on values of 128 KiB as take 20 ms.
    package static let conditionStepsBetweenLooks = 50

    // MARK: The work of one write

    /// Work that the triggers of one write may cause, in steps of SQLite's virtual machine, of 25 ns: a tenth of a second,
    /// which is what a chat may have to wait. A batch of documents that causes more is refused.
    package static let workMax = 4_000_000
    /// The same of evaluations that run out of their budget: five of the dearest, or two that run out of their time.
    package static let wasteMax = 1_000_000
    /// What an evaluation may take although the write has spent all: several times what usual conditions do.
    package static let workFloor = 2_000
    /// Times in a row that a row runs out of its budget before it is set aside.
    package static let overrunsMax = 3
    /// Work of an evaluation beside its steps.
    package static let evaluationWork = 50
    /// Work of a look-up or a list element in a template.
    package static let templateStepWork = 40
    /// Work of a notification, a schedule, a webhook or a removal: a row, an event, their indexes.
    package static let rowWork = 1_600
    /// Bytes that are read, parsed or written for one step's worth of work.
    package static let bytesPerWork = 4

    /// The work of an evaluation that ran out of its time after a number of steps.
    package static func lateWork(of steps: Int) -> Int { steps * 4 }
}
