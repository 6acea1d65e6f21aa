internal import Foundation
import GRDB

/// A database that comes from another node of the cluster, in a file of its own until it is whole and checked.
///
/// - Confinement: one thread
package final class Arrival {
    /// Why it is not taken; then the folder is as it was.
    package struct Problem: Error, Sendable, CustomStringConvertible {
        package let description: String
    }

    private let directory: DataDirectory
    private let migrations: [Migration]
    private let handle: FileHandle
    /// The bytes so far.
    package private(set) var bytes: Int64 = 0

    /// Makes the file, in the place of an earlier one.
    ///
    /// - Parameter migrations: of this program.
    /// - Throws: the file system's error.
    package init(in directory: DataDirectory, migrations: [Migration]) throws {
        self.directory = directory
        self.migrations = migrations
        try DatabaseCopy.removeRemains(in: directory)
        try PrivateAccess.makeFile(directory.copyPath)
        handle = try FileHandle(forWritingTo: URL(fileURLWithPath: directory.copyPath))
    }

    /// Adds bytes.
    ///
    /// - Throws: Foundation's error.
    package func write(_ piece: [UInt8]) throws {
        try handle.write(contentsOf: Data(piece))
        bytes += Int64(piece.count)
    }

    /// Checks the whole file, and removes from it what is the other node's alone.
    ///
    /// - Returns: the facts by which the caller decides whether it is the cluster's.
    /// - Throws: ``Problem``.
    package func check() throws(Problem) -> FoundDatabase {
        do {
            try handle.synchronize()
            try Restoration.check(directory.copyPath, named: "the copy", migrations)
            let queue = try DatabaseQueue(path: directory.copyPath)
            let found = try queue.read { try Founding.found(in: $0) }
            guard let found else { throw Problem(description: "it belongs to a server that is alone") }
            guard found.schema == migrations.count else {
                throw Problem(
                    description: "its tables are those of schema \(found.schema), and this program has schema "
                        + "\(migrations.count): start the program that the other nodes run")
            }
            try queue.writeWithoutTransaction { try $0.execute(sql: NodeWrites.clearing) }
            try queue.close()
            return found
        } catch let problem as Problem {
            throw problem
        } catch let problem as Restoration.Problem {
            throw Problem(description: problem.description)
        } catch {
            throw Problem(description: "it is not a whole database: \(error)")
        }
    }

    /// Makes it the folder's database.
    ///
    /// - Throws: the file system's error.
    package func putInPlace() throws {
        try handle.synchronize()
        try handle.close()
        try Restoration.put(directory.copyPath, in: directory)
    }

    /// Removes the file.
    package func abandon() {
        try? handle.close()
        try? DatabaseCopy.removeRemains(in: directory)
    }
}

@available(*, unavailable)
extension Arrival: Sendable {}
