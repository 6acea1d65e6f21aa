import Files
import Glibc
import TestSupport
import Testing

@Suite struct ReadableFileTests {
    private let folder = TemporaryFolder()

    private func made(_ bytes: [UInt8]) throws -> ReadableFile {
        #expect(unsafe mkdir(folder.path, 0o700) == 0 || errno == EEXIST)
        let path = folder.path + "/file"
        try PrivateFile(path: path).replace(bytes, temporaryName: ".t")
        return ReadableFile(path: path)
    }

    @Test func `a file is read with its mode, up to a size`() throws {
        let bytes = [UInt8](repeating: 7, count: 10_000)
        let file = try made(bytes)
        let contents = try file.read(bytesMax: 10_000)
        #expect(contents.bytes == bytes)
        #expect(contents.mode == 0o600)
        #expect(throws: PrivateFileError.tooLong(path: file.path, bytesMax: 9_999)) {
            _ = try file.read(bytesMax: 9_999)
        }
    }

    @Test func `a byte order mark in front is no part of the text, and anywhere else it is`() throws {
        let mark: [UInt8] = [0xef, 0xbb, 0xbf]
        #expect(try made(mark + [0x61]).read(bytesMax: 9).bytes == [0x61])
        #expect(try made(mark).read(bytesMax: 9).bytes == [])
        #expect(try made([0x61] + mark).read(bytesMax: 9).bytes == [0x61] + mark)
        #expect(try made([0xef, 0xbb]).read(bytesMax: 9).bytes == [0xef, 0xbb])
    }

    @Test func `the stamp changes with the contents`() throws {
        let file = try made([1])
        let stamp = try file.read(bytesMax: 9).stamp
        #expect(file.stamp() == stamp)
        _ = try made([2])
        #expect(file.stamp() != stamp)
        #expect(ReadableFile(path: folder.path + "/none").stamp() == nil)
    }

    @Test func `a missing file, a folder and a pipe are no files`() throws {
        let path = try made([1]).path
        #expect(throws: PrivateFileError.system(path: path + "2", operation: "open", errno: ENOENT)) {
            _ = try ReadableFile(path: path + "2").read(bytesMax: 9)
        }
        #expect(throws: PrivateFileError.notAFile(path: folder.path)) {
            _ = try ReadableFile(path: folder.path).read(bytesMax: 9)
        }
        #expect(unsafe mkfifo(path + "3", 0o600) == 0)
        #expect(throws: PrivateFileError.notAFile(path: path + "3")) {
            _ = try ReadableFile(path: path + "3").read(bytesMax: 9)
        }
    }
}
