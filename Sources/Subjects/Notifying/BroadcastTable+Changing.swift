import Log
import Model
package import Store

extension BroadcastTable where Access == WriteAccess {
    /// A broadcast that waits is another from here on.
    func change(_ id: Int64, audience: String, size: Int64, due: Timestamp, wanted: String) throws {
        try access.run(
            "UPDATE broadcasts SET audience = ?, size = ?, due = ?, wanted = ? WHERE id = ?",
            [audience, size, due.milliseconds, wanted, id])
    }

    /// Forgets what the broadcasts to an audience say; one that waits is not sent any more. Visits all broadcasts.
    ///
    /// - Returns: how many they are.
    package func forgetWords(of audience: String) throws -> Int {
        try access.change(
            "UPDATE broadcasts SET wanted = NULL, due = NULL WHERE audience = ? AND wanted IS NOT NULL", [audience])
    }
}
