import Files
import Foundation
import Glibc
import TestSupport
import Testing

/// Things at a path that are no files.
struct FileKindTests {
    private let folder = TemporaryFolder()

    @Test func `a folder, a pipe and a device are named, with the way out; a file and nothing are not`() throws {
        let (pipe, file, link) = ("\(folder.path)/pipe", "\(folder.path)/file", "\(folder.path)/link")
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
        #expect(unsafe mkfifo(pipe, 0o600) == 0)
        try Data([1]).write(to: URL(filePath: file))
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: pipe)
        for (path, words) in [
            (folder.path, "is a folder, and a file is needed: name a file in it"), (pipe, "is a pipe"),
            (link, "is a pipe"),
            ("/dev/null", "is a device"),
        ] {
            let hint = FileKind(of: path)?.hint(for: path)
            #expect(hint?.hasPrefix("\(path) \(words)") == true, "\(hint ?? "nothing")")
            #expect(throws: PrivateFileError.notAFile(path: path)) { try ReadableFile(path: path).read(bytesMax: 9) }
            #expect(PrivateFileError.notAFile(path: path).description == hint)
        }
        #expect(FileKind(of: file)?.hint(for: file) == nil)
        #expect(FileKind(of: "\(folder.path)/none") == nil)
    }
}
