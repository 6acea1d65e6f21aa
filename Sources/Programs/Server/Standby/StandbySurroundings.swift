import ClientProtocol
import EventLoop
import Journal
import Model
import Telemetry
import ThreadMessages

/// The objects that the thread of a primary or of a standby shares with others.
///
/// - Confinement: loop
struct StandbySurroundings {
    let mail: Mailboxes
    let board: StandbyBoard
    let standing: NodeStanding
    let metrics: Metrics
    let log: ServerLog
    let clock: WallClock
    let folder: StandbyFolder
    /// The name under which the writer's entries go.
    let node: String
    let schema: Int
    let program: String
    let loop: Loop

    func show(_ facts: NodeStanding.Facts) {
        standing.set(facts)
        metrics.journal.show(facts)
    }

    /// Answers writes that cannot be committed here.
    func refuse(_ commands: [HandedCommand], _ sentence: String) {
        let refusal = Refusal(.unavailable, sentence, retryAfterMilliseconds: 1000)
        mail.writer.post(
            .unwritten(commands.map { UnwrittenAnswer(ticket: $0.ticket, after: 0, outcome: .failure(refusal)) }))
    }
}
