/// The bounds of a row of the trigger table and of its work, beside those of ``Model/Limits``.
///
/// - Confinement: any
package enum TriggerLimits {
    /// Bytes of a condition or an `at` expression: a page of text; longer ones are programs.
    package static let expressionBytesMax = 8 * 1024
    /// Later changes that one slice of a replay searches for withdrawals and rearming: a tenth of a second of the
    /// writer.
    package static let laterChangesMax = 2_000
    /// Bytes of one template: several times the length of a body after the cut.
    package static let templateBytesMax = 4 * 1024
    /// Nesting of sections in a template: they are read and rendered by recursion.
    package static let templateDepthMax = 8
    /// Look-ups and list elements one rendering may take: lists in lists multiply.
    package static let templateStepsMax = 20_000
    /// Bytes that one rendering may write before the cut, over all its texts.
    package static let templateBytesOut = 1024 * 1024
    /// Bytes of the rendered `collapse`: a chat's id and more. It is never cut, since two values with the same
    /// beginning would replace each other; push providers that accept 64 bytes (APNs) need a digest of it.
    package static let collapseBytesMax = 512
    /// Bytes of `data`, in the row and when rendered; push providers accept 4 KB in all.
    package static let dataBytesMax = 4 * 1024
    /// Languages of one title or body.
    package static let languagesMax = 64
    /// The longest `ttl`: ten years in seconds, so that adding it to a time stays far from the end of the range.
    package static let ttlSecondsMax: Int64 = 315_360_000
    /// Bytes of a file with the rows of a new folder: hundreds of rows with texts in many languages.
    package static let fileBytesMax = 4 << 20
    /// How late the server may fire a row with `late: skip`: the time of a restart or a busy hour.
    package static let lateMilliseconds: Int64 = 10 * 60_000
    /// The least time between two firings of a row with `repeat` for the same document.
    package static let repeatMillisecondsMin: Int64 = 60_000
    /// Other documents that a row reads: each is a look-up for every change that the row evaluates.
    package static let otherDocumentsMax = 4
    /// Audiences in the list of a row.
    package static let audiencesMax = 8
    /// The longest window of a `throttle`: a month in seconds; for less than one a month, write another trigger.
    package static let throttleSecondsMax: Int64 = 2_678_400
    /// The most interruptions in the window of a `throttle`: each is a row that every notification counts.
    package static let throttleCountMax: Int64 = 1000
    /// Bytes of a webhook's address.
    package static let webhookBytesMax = 2048

    /// People of the audience that a test shows: enough to understand the audience; each is looked up.
    package static let testRecipientsMax = 200
    /// The same when the request gives no number.
    package static let testRecipientsDefault = 20
    /// Changes for which one slice of a replay runs a trigger, each with a savepoint: 5 to 10 ms, the usual delay of a
    /// chat.
    package static let replayedChangesMax = 100
    /// Positions of the log that one slice of a replay reads, even if the trigger watches none of them.
    package static let replayedPositionsMax: Int64 = 5000
    /// Events of a stream that are searched for the moment when a notification was removed.
    package static let explainedEventsMax = 2000
    /// Changes of a document that are explained in one answer.
    package static let explainedChangesMax = 20
    /// Triggers with a false condition that the answer to a write names; further ones are only counted.
    package static let unmetReportsMax = 20
    /// Triggers that `/metrics` names; those with the fewest matches share one line.
    package static let namedInMetricsMax = 100

    /// Bytes of any value inside of a condition: twice a document. A single step of SQLite cannot be interrupted, and
    /// its time is proportional to the size of the value.
    package static let conditionValueBytesMax: Int32 = 128 * 1024
    /// The same for small documents: this, and twice their bytes.
    package static let conditionValueBytesMin: Int32 = 16 * 1024
    /// Operators and calls of an expression times the bytes of the documents, since SQLite cannot be interrupted
    /// between them either: 256 operations on a document of 64 KiB, or 16,000 on one of a kilobyte.
    package static let conditionOperationBytesMax = 16 << 20
    /// Time of the thread that an evaluation may take: four times the duration of its steps here, for slower machines.
    /// With fewer steps it is shorter in proportion.
    package static let conditionMillisecondsMax = 20
    /// Comparisons of a character that take as long as a step.
    package static let comparisonsPerStep = 8
    /// Depth of a condition's expression tree, which SQLite walks by recursion.
    package static let conditionDepthMax: Int32 = 100
    /// Bytes of a LIKE or GLOB pattern: in the worst case, the time of matching is the square of it.
    package static let conditionPatternBytesMax: Int32 = 256
    /// Arguments of a function in a condition.
    package static let conditionArgumentsMax: Int32 = 32
    /// Instructions of a compiled condition.
    package static let conditionInstructionsMax: Int32 = 10_000
    /// Up to this many bytes of documents, a condition has its whole budget of steps. A step over a larger document may
    /// take longer (a JSON function copies it), so the budget shrinks in proportion: to a quarter at 64 KiB, which is
    /// still enough to visit every element of a list that fills the document.
    package static let conditionBytesAtFullBudget = 16 * 1024
    /// Steps between two checks of the budget and the clock: about 2 µs, or 20 ms of calls on values of 128 KiB.
    package static let conditionStepsBetweenLooks = 50

    // MARK: The work of one write

    /// Work that the triggers of one write may cause, in steps of SQLite's virtual machine of 25 ns: a tenth of a
    /// second, which is the longest acceptable wait of a chat. A batch of documents that causes more is refused.
    package static let workMax = 4_000_000
    /// The same for evaluations that run out of their budget: five of the most expensive, or two that run out of their
    /// time.
    package static let wasteMax = 1_000_000
    /// The budget of an evaluation when the write has spent everything: several times what usual conditions need.
    package static let workFloor = 2_000
    /// How many times in a row a trigger may run out of its budget before it is disabled.
    package static let overrunsMax = 3
    /// Work of an evaluation in addition to its steps.
    package static let evaluationWork = 50
    /// Work of a look-up or a list element in a template.
    package static let templateStepWork = 40
    /// Work of a notification, a schedule, a webhook or a removal: a row, an event, their indexes.
    package static let rowWork = 1_600
    /// Bytes that are read, parsed or written with the work of one step.
    package static let bytesPerWork = 4

    /// The work of an evaluation that ran out of its time after a number of steps.
    package static func lateWork(of steps: Int) -> Int { steps * 4 }
}
