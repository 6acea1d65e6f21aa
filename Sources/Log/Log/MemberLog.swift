internal import Foundation

/// The note that the newest commits of a database may be missing after a power cut.
///
/// A node among others does not flush its commits: the journal has each of them on the disks of most of its servers before
/// the node commits, and a node reads what it lost from there. Its log is flushed once a second (`CommitFlush`), as a second line of
/// defence. So the note decides nothing as long as there is the journal.
/// When there is none, since the folder's server is alone from now on, or since the journal itself was lost, the positions
/// that the database lost may have been seen by clients. Then the database must begin another epoch.
///
/// The note names the run of the machine: while the machine runs on, the kernel keeps the bytes of a process that has died. A
/// server that stops in order flushes everything and removes the note.
///
/// - Confinement: store
enum MemberLog {
    /// Names this run of the machine; nil where the kernel does not say.
    private static var run: String? {
        guard let text = try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8) else {
            return nil
        }
        let run = text.trimmingCharacters(in: .whitespacesAndNewlines)
        return run.isEmpty ? nil : run
    }

    /// The text of a note of this run of the machine.
    static var note: String { run ?? "unknown" }

    /// Whether commits may be missing after a server that has left this note.
    static func mayLack(_ note: String?) -> Bool {
        guard let note else { return false }
        return run == nil || note != run
    }
}

extension ReadAccess {
    /// The note of a server that was not stopped in order; nil when there is none.
    func unflushedNote() throws -> String? { try value("SELECT value FROM node WHERE name = 'unflushed'") }
}

extension WriteAccess {
    /// Notes that commits are not flushed from now on, or that all of them are.
    func noteUnflushed(_ isSo: Bool) throws {
        if isSo {
            try run(NodeWrites.unflushed, [MemberLog.note])
        } else {
            try run(NodeWrites.flushed)
        }
    }
}
