package import Fanout
package import Model

/// A step of a commit as every loop gets it: all loops share the array of them.
///
/// - Confinement: any
package enum LoopStep: Sendable {
    /// Publications as one chunk, with the steps between and after them, in their order.
    case run(PublicationRun, between: [Between])
    /// A publication that differs from reader to reader.
    case publication(FramedPublication)
    case change(SessionChange)
    case outcome(ConnectionAddress, Ticket, Outcome)

    /// A step that stands among the publications of a run.
    ///
    /// - Confinement: any
    package struct Between: Sendable {
        /// The number of publications that come before it.
        package let place: Int
        package let step: LoopStep

        package init(place: Int, step: LoopStep) {
            self.place = place
            self.step = step
        }
    }
}
