/// A mistake of the model's node, which the seeds must find.
enum PlantedMistake: CaseIterable, Sendable {
    /// Clients get their answers when an entry is published.
    case acknowledgesBeforeTheJournal
    /// The node notes entries that it has not read as applied when it wants to stand.
    case leadsWithoutReading
    /// An entry that the journal delivers again, or that the node wrote itself, is applied once more.
    case appliesTwice
    /// Messages go to the journal without `Nats-Expected-Last-Sequence`.
    case forgetsTheExpectation
    /// The checksum of its own entry is not compared rightly: after a refusal it looks like the entry of another node.
    case takesItsOwnForForeign
    /// After a refusal any entry looks like its own.
    case takesForeignForItsOwn
}
