package import Model
package import Store

/// A write on its way to the writer.
///
/// - Confinement: any
package struct WriteRequest: Sendable {
    package let actor: Actor
    package let at: Timestamp
    package let useCase: any WriteUseCase
    /// The row that the audit gets in the same transaction; nil for the writes of users and of the server.
    package let audit: AuditNote?

    package init(actor: Actor, at: Timestamp, useCase: any WriteUseCase, audit: AuditNote? = nil) {
        self.audit = audit
        self.actor = actor
        self.at = at
        self.useCase = useCase
    }
}
