/// The changes of a transaction to pushes, for the counts and for the sender.
///
/// - Confinement: any
package struct PushTally: Sendable, Hashable {
    /// Jobs that were made.
    package var queued = 0
    package var pushed = 0
    package var skipped = 0
    /// Pushes that were given up: dropped, dead or expired.
    package var failed = 0
    package var dead = 0
    /// Things that are to be taken back from devices.
    package var gone = 0
    /// Whether the sender has something to look at: jobs to send, or results that are noted now.
    package var isTouched = false

    package init() {}
}
