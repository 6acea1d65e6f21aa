/// The rows that the writer remembers from one commit to the next, so that a write need not ask for them. The log makes one by
/// the ``TablePlan``, and does not know its content.
///
/// - Confinement: store
package protocol WriterMemory: AnyObject {
    /// How often anything was changed: equal numbers mean that nothing happened between two moments.
    var changeCount: Int { get }

    /// Writes the changes that are not in the tables yet: before a commit, and before a savepoint.
    ///
    /// - Parameter recorder: notes the statements; nil on a node that is alone.
    /// - Throws: `DatabaseError`; then the transaction is undone, and ``forget()`` called.
    func flush(noting recorder: WriteRecorder?) throws

    /// Forgets what an undone transaction, or savepoint, may have left.
    func forget()

    /// Forgets everything: another node has written the rows.
    func forgetAll()
}
