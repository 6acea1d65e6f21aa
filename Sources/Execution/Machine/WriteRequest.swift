package import Model
import Store

/// A write on its way to the writer.
///
/// - Confinement: any
package struct WriteRequest: Sendable {
    package let actor: Actor
    package let at: Timestamp
    package let useCase: any WriteUseCase

    package init(actor: Actor, at: Timestamp, useCase: any WriteUseCase) {
        self.actor = actor
        self.at = at
        self.useCase = useCase
    }
}
