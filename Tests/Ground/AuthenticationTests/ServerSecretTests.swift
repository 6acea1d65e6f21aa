import Authentication
import Files
import Glibc
import Testing

@Suite struct ServerSecretTests {
    @Test func `a secret is made once and loaded from then on`() throws {
        try withFolder { folder throws in
            #expect(try ServerSecret.load(fromFolder: folder) == nil)
            let made = try ServerSecret.loadOrCreate(inFolder: folder)
            let loaded = try ServerSecret.loadOrCreate(inFolder: folder + "/")
            #expect(made.authenticate([1]) == loaded.authenticate([1]))
            let text = try #require(try PrivateFile(path: folder + "/secret").read(bytesMax: 65))
            #expect(text.count == 65)
            #expect(ServerSecret(hexadecimal: text)?.authenticate([1]) == made.authenticate([1]))
        }
    }

    @Test func `a secret others may read is refused, and says what to do`() throws {
        try withFolder { folder throws in
            _ = try ServerSecret.loadOrCreate(inFolder: folder)
            unsafe chmod(folder + "/secret", 0o644)
            let error = #expect(throws: ServerSecretError.self) {
                _ = try ServerSecret.loadOrCreate(inFolder: folder)
            }
            #expect(error?.description.contains("mode 0644") == true)
            #expect(error?.description.contains("chmod 600 \(folder)/secret") == true)
        }
    }

    @Test(arguments: [0, 1, 63, 65, 128])
    func `a file that is not a secret is refused and left alone`(length: Int) throws {
        try withFolder { folder throws in
            let contents = Array(repeating: UInt8(ascii: "a"), count: length)
            let file = PrivateFile(path: folder + "/secret")
            #expect(try file.create(contents, temporaryName: ".t"))
            #expect(throws: ServerSecretError.malformed(path: file.path)) {
                _ = try ServerSecret.loadOrCreate(inFolder: folder)
            }
            #expect(try file.read(bytesMax: 1024) == contents)
        }
    }

    @Test func `a missing folder is said`() throws {
        try withFolder { folder throws in
            let error = #expect(throws: ServerSecretError.self) {
                _ = try ServerSecret.loadOrCreate(inFolder: folder + "/no")
            }
            #expect(error?.description.contains("No such file or directory") == true)
        }
    }

    @Test func `a secret does not show itself`() throws {
        let secret = try #require(ServerSecret(hexadecimal: Array(repeating: UInt8(ascii: "7"), count: 64)))
        var dumped = ""
        dump(secret, to: &dumped)
        #expect(!(dumped + "\(secret)" + String(reflecting: secret)).contains("7"))
        #expect(!(dumped + "\(secret)" + String(reflecting: secret)).contains("119"))
    }

    @Test(arguments: ["g", "-", " ", "\n"])
    func `a secret with a sign that is not a digit is refused`(character: String) {
        #expect(ServerSecret(hexadecimal: Array(String(repeating: "0", count: 63).utf8) + Array(character.utf8)) == nil)
    }

    @Test func `a file of two secrets signs with the first, and turns and ends`() throws {
        try withFolder { folder throws in
            let first = try ServerSecret.loadOrCreate(inFolder: folder)
            #expect(try ServerSecret.rotate(inFolder: folder).map(\.audience).last == first.audience)
            let both = try #require(try ServerSecret.loadAll(fromFolder: folder))
            #expect(both.count == 2 && both[1].audience == first.audience)
            #expect(try ServerSecret.load(fromFolder: folder)?.audience == both[0].audience)
            #expect(try ServerSecret.loadOrCreate(inFolder: folder).audience == both[0].audience)
            // A second turn drops the oldest.
            let again = try ServerSecret.rotate(inFolder: folder)
            #expect(again.map(\.audience).last == both[0].audience && again.count == 2)
            #expect(try ServerSecret.retire(inFolder: folder).map(\.audience) == [again[0].audience])
            #expect(try ServerSecret.loadAll(fromFolder: folder)?.count == 1)
        }
    }
}

/// Makes a folder for `body` and removes it with its content.
private func withFolder(_ body: (String) throws -> Void) throws {
    var template = Array("/tmp/watchwise-authentication-XXXXXX".utf8CString)
    try #require(unsafe mkdtemp(&template) != nil)
    let folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    defer {
        unsafe unlink(folder + "/secret")
        unsafe rmdir(folder)
    }
    try body(folder)
}
