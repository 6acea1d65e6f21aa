import Foundation
import GRDB
import Journal
import Model
import TestSupport
import Testing
@testable import Log
@testable import Store

/// A member's commits are not flushed. A power cut may take the newest ones, and then its positions may only go on where
/// the journal gives them back.
struct MemberLogTests {
    /// The folder of a cluster's first node.
    private struct Member {
        let folder = TemporaryFolder()

        init() throws {
            let writer = try Founding.open(try DataDirectory(folder.path))
            try writer.pass(Founding.beginning)
            try writer.close()
        }

        func open(isMember: Bool) throws -> Writer {
            try Storage.openWriter(try DataDirectory(folder.path), isMember: isMember)
        }

        /// Serves for a while as a member.
        func serve(upTo sequence: UInt64? = nil, isClosed: Bool) throws -> Epoch {
            let writer = try open(isMember: true)
            if let sequence { try writer.pass(JournalPlace(sequence: sequence, term: 1)) }
            if isClosed { try writer.close() }
            return writer.epoch
        }

        /// The machine has stopped, and has been started again.
        func restartMachine() throws {
            let queue = try DatabaseQueue(path: folder.path + "/watchwise.db")
            try queue.write { try $0.execute(sql: "UPDATE node SET value = 'before' WHERE name = 'unflushed'") }
            try queue.close()
        }

        var note: String? {
            get throws {
                let queue = try DatabaseQueue(path: folder.path + "/watchwise.db")
                defer { try? queue.close() }
                return try queue.read { try ReadAccess(database: $0).unflushedNote() }
            }
        }
    }

    @Test func `a member that was stopped in order, or only died, keeps its epoch when it is alone again`() throws {
        let member = try Member()
        let epoch = try member.serve(upTo: 5, isClosed: true)
        #expect(try member.note == nil)
        try member.restartMachine()
        let alone = try member.open(isMember: false)
        #expect(alone.epoch == epoch && alone.epochRenewal == nil)
        try alone.close()
        _ = try member.serve(upTo: 6, isClosed: false)
        #expect(try member.note == MemberLog.note)
        let again = try member.open(isMember: false)
        #expect(again.epoch == epoch && again.epochRenewal == nil)
        #expect(try member.note == nil)
        try again.close()
    }

    @Test func `a member whose machine has stopped begins another epoch when it is alone`() throws {
        let member = try Member()
        let epoch = try member.serve(upTo: 5, isClosed: false)
        try member.restartMachine()
        let alone = try member.open(isMember: false)
        #expect(alone.epoch != epoch && alone.epochRenewal != nil)
        try alone.close()
        let later = try member.open(isMember: false)
        #expect(later.epoch == alone.epoch && later.epochRenewal == nil, "once")
        try later.close()
    }

    @Test func `the doubt stays until the journal has given an entry and the server was stopped in order`() throws {
        let member = try Member()
        let epoch = try member.serve(upTo: 5, isClosed: false)
        try member.restartMachine()
        #expect(try member.serve(isClosed: true) == epoch, "among others the journal decides")
        #expect(try member.note == "before")
        #expect(try member.serve(upTo: 6, isClosed: false) == epoch)
        #expect(try member.note == "before")
        #expect(try member.serve(upTo: 7, isClosed: true) == epoch)
        #expect(try member.note == nil)
    }

    @Test func `a journal that was lost with the power begins another epoch`() throws {
        let member = try Member()
        let epoch = try member.serve(upTo: 5, isClosed: false)
        try member.restartMachine()
        guard case .member(let found) = try Founding.standing(of: DataDirectory(member.folder.path)) else {
            Issue.record("no member")
            return
        }
        #expect(found.mayLackCommits && found.epoch == epoch && found.place.sequence == 5)
        let renewed = try Founding.renewEpoch(try DataDirectory(member.folder.path))
        #expect(renewed != epoch)
        guard case .member(let after) = try Founding.standing(of: DataDirectory(member.folder.path)) else { return }
        #expect(!after.mayLackCommits && after.epoch == renewed && after.place == found.place)
    }
}
