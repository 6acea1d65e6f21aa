package import Log
package import Model

/// The notifications of topics and of everyone that single readers have put away for good.
///
/// They stay with all other readers. One in an inbox has no row here: it is taken away itself.
///
/// - Confinement: store
package struct ArchivedTable<Access: ReadAccess>: StoredTable {
    package let access: Access

    /// Whether the user has archived a notification that others read, too.
    package func contains(_ position: Position, of user: StreamID) throws -> Bool {
        try removal(of: position, by: user) != nil
    }

    /// The position of the event with which an archived notification went from the user's devices; nil for one that was not archived.
    package func removal(of position: Position, by user: StreamID) throws -> Position? {
        try access.value(
            "SELECT removal FROM archived WHERE user = ? AND seq = ?", [user.value, position.value])
    }
}

extension ArchivedTable where Access == WriteAccess {
    /// The user archives a notification that others read, too.
    ///
    /// - Parameter removal: the position of the event with which it goes from the user's devices.
    package func put(_ position: Position, of user: StreamID, at removal: Position) throws {
        try access.run(
            "INSERT INTO archived(user, seq, removal) VALUES (?, ?, ?)",
            [user.value, position.value, removal.value])
    }
}
