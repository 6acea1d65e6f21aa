internal import Foundation
import GRDB
package import Journal
package import Model

/// How a folder's database stands in a cluster, read before a server opens it.
///
/// - Confinement: any
package enum FolderStanding: Sendable, Hashable {
    /// There is no database.
    case empty
    /// The database belongs to a server that was always alone.
    case alone
    /// The database is a member's, and has everything up to this entry of the journal.
    case member(FoundDatabase)
    /// A statement of the journal did not fit this member's database, or its file is damaged; the sentence says which.
    case diverged(String)
}

/// The facts by which a database of a cluster is known.
///
/// - Confinement: any
package struct FoundDatabase: Sendable, Hashable {
    /// The history of its positions: that of the cluster.
    package let epoch: Epoch
    /// The newest entry of the journal that it has.
    package let place: JournalPlace
    /// The number of its newest migration.
    package let schema: Int
    /// The newest position of its log.
    package let head: Position
    /// Whether a power cut may have taken commits from its end that only the journal has.
    package var mayLackCommits = false
}

/// The first database of a cluster, and the marks by which a database of a cluster is known.
///
/// - Confinement: any
package enum Founding {
    /// The place before the first entry of a journal.
    package static let beginning = JournalPlace(sequence: 0, term: 0)

    /// Opens or makes the database of a folder that is to be a cluster's first.
    ///
    /// Its epoch becomes the cluster's when ``Writer/pass(_:)`` has noted ``beginning``, after the journal was made. The
    /// caller closes it.
    ///
    /// - Throws: as ``Storage/openWriter(_:plan:isMember:)``.
    package static func open(_ directory: DataDirectory, plan: TablePlan) throws -> Writer {
        try Storage.openWriter(directory, plan: plan)
    }

    /// Reads how a folder's database stands.
    ///
    /// - Throws: `DatabaseError`, ``StoredValueProblem``, or ``DataDirectory/Problem``.
    package static func standing(of directory: DataDirectory) throws -> FolderStanding {
        let path = directory.databasePath
        let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? NSNumber
        // A start that was cut short leaves an empty file.
        guard let size, size.int64Value > 0 else { return .empty }
        do {
            return try read(path)
        } catch let error as DatabaseError where damages.contains(error.resultCode) {
            return .diverged("its file is damaged: \(error.message ?? error.resultCode.description)")
        }
    }

    /// The codes of SQLite for a file that was changed by something else than SQLite.
    private static let damages: [ResultCode] = [.SQLITE_CORRUPT, .SQLITE_NOTADB]

    private static func read(_ path: String) throws -> FolderStanding {
        try LeftLog.rewrite(besides: path)
        let queue = try DatabaseQueue(path: path)
        let standing = try queue.read { database -> FolderStanding in
            guard try database.tableExists("meta") else { return .alone }
            if try database.tableExists("node"), let sentence = try ReadAccess(database: database).divergence() {
                return .diverged(sentence)
            }
            return try found(in: database).map(FolderStanding.member) ?? .alone
        }
        try queue.close()
        return standing
    }

    /// The facts of a member's database; nil for another one.
    static func found(in database: Database) throws -> FoundDatabase? {
        let access = ReadAccess(database: database)
        guard let place = try access.journalPlace(), let epoch = try access.meta(.epoch).flatMap({ Epoch($0) }) else {
            return nil
        }
        return FoundDatabase(
            epoch: epoch, place: place, schema: try Migration.number(of: database),
            head: try Transaction(access).log.head(),
            mayLackCommits: try database.tableExists("node") && MemberLog.mayLack(access.unflushedNote()))
    }

    /// Whether a member's database is another one than was last served from the folder: a backup was put there, or the file of an
    /// earlier day. As long as the journal has the entries after it, a node reads them; without the journal they are gone.
    ///
    /// - Throws: ``DataDirectory/Problem``, or the file system's error.
    package static func wasReplaced(_ directory: DataDirectory, _ found: FoundDatabase) throws -> Bool {
        let witness = try HeadWitness(of: directory)
        defer { try? witness.close() }
        return try witness.objection(to: found.epoch, head: found.head) != nil
    }

    /// Gives a database of a cluster another epoch, since positions may be missing that clients have seen, and the journal
    /// that had them is lost.
    ///
    /// - Returns: the new epoch.
    /// - Throws: as ``Storage/openWriter(_:plan:isMember:)``.
    package static func renewEpoch(_ directory: DataDirectory, plan: TablePlan) throws -> Epoch {
        let witness = try HeadWitness(of: directory)
        try witness.forget()
        try witness.close()
        let writer = try Storage.openWriter(directory, plan: plan)
        try writer.close()
        return writer.epoch
    }

    /// Puts a database that is not that of the others aside, so that the node can fetch another one.
    ///
    /// - Parameter stamp: A part of the new name, such as `2026-11-25T22-05-00`.
    /// - Returns: the path where it is kept.
    /// - Throws: the file system's error.
    package static func putAside(_ directory: DataDirectory, stamp: String) throws -> String {
        let files = FileManager.default
        let kept = "\(directory.path)/\(PutAside.diverged)\(stamp).sqlite"
        // One file where that is possible; a database that cannot be opened is kept as it is.
        if let queue = try? DatabaseQueue(path: directory.databasePath) {
            try? queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
            try? queue.close()
        }
        for suffix in ["-wal", "-shm", ""] where files.fileExists(atPath: directory.databasePath + suffix) {
            try files.moveItem(atPath: directory.databasePath + suffix, toPath: kept + suffix)
        }
        try LeftLog.flush(folder: directory.path)
        return kept
    }
}

/// The beginnings of the names of databases that are kept beside that of the server.
///
/// - Confinement: any
enum PutAside {
    /// It is not that of the other nodes.
    static let diverged = "diverged-"
    /// It is as it was before a newer program changed the tables.
    static let beforeSchema = "before-schema-"
    static let all = [diverged, beforeSchema]
}

extension Writer {
    /// Removes databases of this node that were put aside, and copies of one with older tables, with all that is in them.
    ///
    /// - Parameter time: in milliseconds since 1970; those that were put aside later stay. Nil: none stays.
    /// - Returns: how many files went.
    /// - Throws: the file system's error.
    @discardableResult
    package func removePutAside(before time: Int64? = nil) throws -> Int {
        let (files, folder) = (FileManager.default, URL(fileURLWithPath: databasePath).deletingLastPathComponent())
        let names = try files.contentsOfDirectory(atPath: folder.path).filter { name in
            PutAside.all.contains { name.hasPrefix($0) }
        }
        var count = 0
        for name in names {
            let path = folder.appending(path: name).path
            let changed = try files.attributesOfItem(atPath: path)[.modificationDate] as? Date
            if let time, (changed?.timeIntervalSince1970 ?? 0) * 1000 >= Double(time) { continue }
            try files.removeItem(atPath: path)
            count += 1
        }
        if count > 0 { try LeftLog.flush(folder: folder.path) }
        return count
    }

    /// Notes that this node's database is not that of the others: its next start puts it aside.
    ///
    /// - Throws: `DatabaseError`.
    package func noteDivergence(_ sentence: String) throws {
        try writeAlone { try $0.run(NodeWrites.divergence, [sentence]) }
    }
}

extension ReadAccess {
    /// The note of ``Writer/noteDivergence(_:)``; nil when there is none.
    fileprivate func divergence() throws -> String? {
        try value("SELECT value FROM node WHERE name = 'diverged'")
    }
}
