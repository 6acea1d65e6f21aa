import Foundation
import Log
import Model
import Testing
import TestSupport

@testable import PersonalData

/// The folder of the copies that a server makes by itself.
struct BackupShelfTests {
    private let folder = Self.made()
    private let noon = Timestamp(milliseconds: 1_796_040_000_000)

    private static func made() -> TemporaryFolder {
        let folder = TemporaryFolder()
        try? FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
        return folder
    }

    private func write(_ names: String...) throws {
        for name in names { try Data([1, 2, 3]).write(to: URL(fileURLWithPath: folder.path + "/" + name)) }
    }

    @Test func `a name says when its copy was begun, and other files are no copies`() throws {
        let name = BackupShelf.name(at: Timestamp(milliseconds: noon.milliseconds + 999))
        #expect(name == "watchwise-2026-11-30T12-00-00Z.db")
        #expect(BackupShelf.time(of: name) == noon)
        try write(
            name, "watchwise-2026-11-30T13-00-00Z.db", "watchwise-2026-11-30T13-00-00Z.db.secrets", "notes.txt",
            "watchwise.erasures", "watchwise-yesterday.db", "watchwise-2026-13-30T12-00-00Z.db")
        let copies = try BackupShelf(folder.path).copies()
        #expect(copies.map(\.name) == ["watchwise-2026-11-30T13-00-00Z.db", name])
        #expect(copies.map(\.hasSecrets) == [true, false] && copies.map(\.bytes) == [3, 3])
    }

    @Test func `the remains of a killed server are removed, and nothing else`() throws {
        let remains = ["", "-wal", "-shm", "-journal"].map { "watchwise-2026-11-30T13-00-00Z.db.part" + $0 }
        for name in remains { try write(name) }
        try write("other.db.part", "watchwise-2026-11-30T12-00-00Z.db")
        let shelf = try BackupShelf(folder.path)
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(left == ["other.db.part", "watchwise-2026-11-30T12-00-00Z.db"])
        #expect(try shelf.copies().count == 1)
    }

    @Test func `nothing is left of a copy that does not count, its secrets neither`() throws {
        let shelf = try BackupShelf(folder.path)
        let name = BackupShelf.name(at: noon)
        try write(name + ".part", name + ".secrets", "watchwise.erasures")
        try shelf.discard(name)
        #expect(folder.files == ["watchwise.erasures"])
        try shelf.discard(name)
    }

    @Test func `the oldest copies go, with their secrets`() throws {
        for hour in 10...14 {
            try write(
                "watchwise-2026-11-30T\(hour)-00-00Z.db", "watchwise-2026-11-30T\(hour)-00-00Z.db.secrets")
        }
        let shelf = try BackupShelf(folder.path)
        #expect(try shelf.thin(to: 2) == 3)
        #expect(try shelf.thin(to: 2) == 0)
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(left.count == 4 && left.allSatisfy { $0.contains("T13-") || $0.contains("T14-") })
    }

    @Test func `secrets come back byte by byte where a folder lacks them, and nowhere else`() throws {
        let names = ["secret", "vapid-key", "webhook-secret"]
        let (old, new) = (Self.made(), Self.made())
        let copy = folder.path + "/copy.db"
        #expect(try BackupSecrets(besides: copy) == nil)
        for (name, bytes) in [("secret", [UInt8]([0, 10, 255])), ("vapid-key", Array("a key\n".utf8))] {
            try Self.put(bytes, at: old.path + "/" + name)
        }
        try BackupSecrets(of: old.path, names).write(besides: copy)
        let mode = try FileManager.default.attributesOfItem(atPath: copy + ".secrets")[.posixPermissions] as? Int
        #expect(mode == 0o600)
        try Self.put([7], at: new.path + "/secret")
        let found = try #require(try BackupSecrets(besides: copy))
        #expect(try found.put(into: new.path, names) == ["vapid-key"])
        #expect(try Data(contentsOf: URL(fileURLWithPath: new.path + "/secret")) == Data([7]))
        #expect(try Data(contentsOf: URL(fileURLWithPath: new.path + "/vapid-key")) == Data("a key\n".utf8))
        // Other names are not put, wherever the file comes from.
        #expect(try found.put(into: new.path, ["webhook-secret"]) == [])
    }

    @Test func `a file of secrets that others may read, or that is damaged, is refused`() throws {
        let copy = folder.path + "/copy.db"
        try Self.put(Array("secret ???\n".utf8), at: copy + ".secrets")
        #expect(throws: BackupSecrets.Problem.self) { try BackupSecrets(besides: copy) }
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: copy + ".secrets")
        #expect(throws: (any Error).self) { try BackupSecrets(besides: copy) }
    }

    private static func put(_ bytes: [UInt8], at path: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }
}
