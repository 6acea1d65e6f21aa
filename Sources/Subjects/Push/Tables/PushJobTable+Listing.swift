import Log
package import Model
import Store

// Jobs as an operator looks at them.
extension PushJobTable {
    /// The newest jobs of a user before a number, at most `limit`: those with a result for one of the user's devices, and
    /// open ones of the user's inbox and chats. Of a job of a topic that keeps no results for sent pushes only failures are
    /// found.
    ///
    /// - Parameter state: nil for any.
    package func list(
        of user: StreamID, state: PushJobEntry.State?, before: Int64, limit: Int
    ) throws -> [PushJobEntry] {
        try access.all(
            PushJobEntry.query + """
                 WHERE id < ?1 AND (?2 IS NULL OR state = ?2) AND id IN (
                  SELECT t.job FROM push_devices d JOIN push_tries t ON t.device = d.id WHERE d.user = ?3
                  UNION SELECT j.id FROM push_jobs j WHERE j.state <> 'ended'
                  AND (j.stream = ?3 OR -j.stream IN (SELECT chat FROM members WHERE user = ?3)))
                 ORDER BY id DESC LIMIT ?4
                """,
            [before, state?.rawValue, user.value, limit],
            PushJobEntry.init
        )
    }

    /// The name of the stream of a job: a chat's, the text of a topic, `everyone`, or `@USER`; nil when it is gone.
    package func streamName(of job: PushJobEntry) throws -> String? {
        switch job.stream.kind {
        case .nobody: nil
        case .chat(let chat): try access.value("SELECT name FROM chats WHERE id = ?", [chat])
        case .everyone, .named: try StreamTable(access: access).name(of: job.stream)
        }
    }
}
