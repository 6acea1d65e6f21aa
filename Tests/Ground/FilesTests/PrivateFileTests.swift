import Files
import Glibc
import Testing

@Suite struct PrivateFileTests {
    @Test func `a new file is read back, has mode 0600, and leaves nothing else in the folder`() throws {
        try withFolder { folder throws in
            let file = PrivateFile(path: folder + "/key")
            #expect(try file.create([1, 2, 3], temporaryName: ".key.1"))
            #expect(try file.read(bytesMax: 3) == [1, 2, 3])
            #expect(mode(of: file.path) == 0o600)
            #expect(mode(of: folder + "/.key.1") == nil)
        }
    }

    @Test func `an existing file is not replaced`() throws {
        try withFolder { folder throws in
            let file = PrivateFile(path: folder + "/key")
            #expect(try file.create([1], temporaryName: ".key.1"))
            #expect(try file.create([2], temporaryName: ".key.1") == false)
            #expect(try file.read(bytesMax: 9) == [1])
        }
    }

    @Test func `no file is nil`() throws {
        try withFolder { folder throws in
            #expect(try PrivateFile(path: folder + "/none").read(bytesMax: 9) == nil)
        }
    }

    @Test(arguments: [0o601, 0o604, 0o640, 0o644, 0o666, 0o620] as [mode_t])
    func `a file open to others is refused with its mode`(mode: mode_t) throws {
        try withFolder { folder throws in
            let file = PrivateFile(path: folder + "/key")
            #expect(try file.create([1], temporaryName: ".t"))
            unsafe chmod(file.path, mode)
            let error = #expect(throws: PrivateFileError.open(path: file.path, mode: mode)) {
                _ = try file.read(bytesMax: 9)
            }
            #expect(error?.description.contains("mode 0\(String(mode, radix: 8))") == true)
            #expect(error?.description.contains("chmod 600") == true)
        }
    }

    @Test func `a file longer than asked for is refused`() throws {
        try withFolder { folder throws in
            let file = PrivateFile(path: folder + "/key")
            #expect(try file.create(Array(repeating: 0, count: 10_000), temporaryName: ".t"))
            #expect(try file.read(bytesMax: 10_000)?.count == 10_000)
            #expect(throws: PrivateFileError.tooLong(path: file.path, bytesMax: 9999)) {
                _ = try file.read(bytesMax: 9999)
            }
        }
    }

    @Test func `a folder is no file, and a missing folder is said`() throws {
        try withFolder { folder throws in
            #expect(throws: PrivateFileError.notAFile(path: folder)) {
                _ = try PrivateFile(path: folder).read(bytesMax: 9)
            }
            let lost = PrivateFile(path: folder + "/no/key")
            let error = #expect(throws: PrivateFileError.self) { _ = try lost.create([1], temporaryName: ".t") }
            #expect(error?.description == "\(folder)/no/.t: create failed: No such file or directory")
        }
    }

    private func mode(of path: String) -> mode_t? {
        var status = stat()
        return unsafe lstat(path, &status) == 0 ? status.st_mode & 0o777 : nil
    }
}

/// Lends a folder of its own and removes it with what is in it.
private func withFolder(_ body: (String) throws -> Void) throws {
    var template = Array("/tmp/watchwise-tls-XXXXXX".utf8CString)
    try #require(unsafe mkdtemp(&template) != nil)
    let folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    defer {
        for name in ["key", ".t", ".key.1"] { unsafe unlink(folder + "/" + name) }
        unsafe rmdir(folder)
    }
    try body(folder)
}
