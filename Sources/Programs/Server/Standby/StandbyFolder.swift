import Files
internal import Foundation
import Journal
import ThreadMessages

/// The small files in a server's folder that say what became of a primary or a standby.
///
/// - Confinement: any
struct StandbyFolder {
    /// The state of a folder's history.
    ///
    /// - Confinement: any
    enum Mark: String, CaseIterable {
        /// Every commit since this file was written was kept for a standby, so the numbers of the entries have no gap.
        case kept = "standby-kept"
        /// The address of a primary's standby.
        case standby = "standby-address"
        /// A standby follows the primary with this address.
        case following = "standby-of"
        /// A primary's history is its standby's: this folder is served no more, except as a standby of that one.
        case handedOver = "standby-handed-over"
        /// A standby has all that its primary committed before that one ended its writes.
        case end = "standby-end"
        /// A standby goes on in the place of the primary with this address; the next start begins a new epoch.
        case promotedLate = "standby-promoted-late"
        /// A standby goes on in the place of the primary with this address.
        case promoted = "standby-promoted"
    }

    let path: String

    func has(_ mark: Mark) -> Bool { FileManager.default.fileExists(atPath: path(of: mark)) }

    /// Whether the standby in this folder has taken the place of a primary.
    ///
    /// - Parameter address: of the primary.
    func isPromoted(insteadOf address: String) -> Bool {
        !has(.handedOver) && [Mark.promoted, .promotedLate].contains { text(of: $0) == address }
    }

    /// The first line of a mark; nil when it is not there.
    func text(of mark: Mark) -> String? {
        guard let bytes = FileManager.default.contents(atPath: path(of: mark)) else { return nil }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").first.map(String.init)
    }

    /// Forgets what the folder was, when it has a new copy of a primary's database.
    ///
    /// - Throws: the file system's error.
    func forget() throws {
        for mark in Mark.allCases where mark != .handedOver { try remove(mark) }
        // The last one, since it alone keeps the folder from being served.
        try remove(.handedOver)
    }

    /// Writes a mark to the disk.
    ///
    /// - Throws: the file system's error.
    func put(_ mark: Mark, _ sentence: String) throws {
        try write(Array((sentence + "\n").utf8), to: path(of: mark))
    }

    /// Removes a mark, if it is there.
    ///
    /// - Throws: the file system's error.
    func remove(_ mark: Mark) throws { try remove(path(of: mark)) }

    /// Makes the next start begin a new epoch: nothing says how far the database had come.
    ///
    /// - Throws: the file system's error.
    func forgetWitness() throws { try remove(path + "/watchwise.head") }

    // MARK: Entries

    /// Keeps the newest entries of a primary that stops, for its next start.
    ///
    /// - Throws: the file system's error.
    func keep(_ entries: [StandbyPage.Entry]) throws {
        var page = StandbyPage()
        page.entries = entries
        try write(page.bytes, to: entriesPath)
    }

    /// Takes out the entries that the last stop kept. None when they do not end with the newest entry of the database, as
    /// those of a killed server do not, or were written by a program with other tables.
    ///
    /// - Throws: the file system's error.
    func takeEntries(upTo place: JournalPlace, schema: Int) throws -> [StandbyPage.Entry] {
        guard let bytes = FileManager.default.contents(atPath: entriesPath) else { return [] }
        try remove(entriesPath)
        guard let entries = StandbyPage(Array(bytes))?.entries, let last = entries.last, last.place == place else {
            return []
        }
        var reader = EntryReader()
        var newest: JournalEntry?
        for part in last.parts { newest = try? reader.receive(part) }
        return newest?.author.schema == schema ? entries : []
    }

    private var entriesPath: String { path + "/standby-entries" }

    private func write(_ bytes: [UInt8], to file: String) throws {
        try PrivateFile(path: file).replace(bytes, temporaryName: ".standby.\(UUID().uuidString)")
    }

    private func remove(_ file: String) throws {
        guard FileManager.default.fileExists(atPath: file) else { return }
        try FileManager.default.removeItem(atPath: file)
        try flush()
    }

    private func path(of mark: Mark) -> String { "\(path)/\(mark.rawValue)" }

    private func flush() throws {
        let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        try handle.synchronize()
        try handle.close()
    }
}
