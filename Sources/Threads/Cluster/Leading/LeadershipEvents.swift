import Journal

/// The parts of the cluster's thread that must know what becomes of the leadership.
///
/// - Confinement: loop
protocol LeadershipEvents: AnyObject {
    /// This node leads from this place on; its writer gets the message.
    func leads(from place: JournalPlace)
    /// This node leads no more.
    func followsAgain()
    /// An entry goes to the writer.
    func applies(_ entry: JournalEntry)
    /// A heartbeat is due.
    func beat(term: UInt64, leads: Bool, applied: UInt64)
    /// The stream has said where it ends.
    ///
    /// - Parameter milliseconds: how long ago most servers were there, which proves the journal; nil when they were not.
    func foundEnd(of journal: UInt64, ago milliseconds: Int64?)
    /// The journal has stored an entry: most of its servers are there.
    ///
    /// - Parameter milliseconds: how long ago it was asked to.
    func proved(ago milliseconds: Int64)
}
