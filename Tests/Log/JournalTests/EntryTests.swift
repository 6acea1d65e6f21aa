import Compression
import Journal
import Model
import TestSupport
import Testing

/// The form of entries, against bytes that another program made.
struct EntryTests {
    @Test(arguments: [
        (Samples.writer.lead(program: "0.14.0"), "5757010100ac02026e311906302e31342e3061943195"),
        (Samples.writer.schema(26), "5757010300ac02026e31191a2795a1ee"),
        (Samples.writer.mark(70_000), "5757010400ac02026e3119f0a20427d91007"),
    ])
    func `the small kinds are these bytes`(_ message: [UInt8], _ expected: String) throws {
        #expect(hexadecimal(message) == expected)
        let entry = try #require(try Samples.read([message]))
        #expect(entry.author == Samples.author)
        switch entry.content {
        case .lead(let program): #expect(program == "0.14.0")
        case .schema(let number): #expect(number == 26)
        case .mark(let number): #expect(number == 70_000)
        case .commit: Issue.record("a commit")
        }
    }

    private static let commitBytes = """
        5757010200ac02026e31190b0c80f8b2e5bd68022c494e5345525420494e544f206368616e676573287365712c20626f\
        6479292056414c55455320283f2c203f29275550444154452061205345542062203d203f2c2063203d203f2c2064203d\
        203f2c2065203d203f0200020118021b7b2274797065223a226d657373616765222c22736571223a31327d0101040003\
        0200ff04000000000000f8bf0500010302000c076d657373616765070112000100010000000000020a02040c02026e32\
        4d020000077b226e223a317d026e314e020101000101000000000100000000000000b092d7c9
        """

    @Test func `a commit is these bytes, and each long text stands in it once`() throws {
        let messages = try Samples.writer.commit(Samples.commit(), at: Samples.time, replies: Samples.replies)
        #expect(messages.map(hexadecimal) == [Self.commitBytes])
        let commit = try #require(try Samples.read(messages)?.commit)
        #expect(commit.before == Position(11))
        #expect(commit.head == Position(12))
        #expect(commit.at == Samples.time)
        #expect(commit.replies == Samples.replies)
        #expect(commit.webhooks == Samples.commit().webhooks)
        #expect(commit.statements.texts.count == 2)
        #expect(commit.statements.runs.map(\.rows) == [1, 3])
        let arguments = commit.statements.arguments
        #expect(arguments[0] == .integer(12))
        #expect(arguments[2] == .null)
        #expect(arguments[4] == .real(-1.5))
        #expect(arguments[5] == arguments[1], "the reference is resolved")
        guard case .publication(let publication) = commit.steps.first else {
            Issue.record("no publication")
            return
        }
        #expect(publication.payload == .same(Samples.event))
    }

    @Test func `an entry that is cut short, or that has one wrong bit, is refused`() throws {
        let message = try Samples.writer.commit(Samples.commit(), at: Samples.time, replies: Samples.replies)[0]
        for count in message.indices {
            #expect(throws: JournalProblem.self, "\(count) bytes") { try Samples.read([Array(message[..<count])]) }
        }
        for bit in 0..<8 * message.count {
            var changed = message
            changed[bit / 8] ^= 1 << (bit % 8)
            #expect(throws: JournalProblem.self, "bit \(bit)") { try Samples.read([changed]) }
        }
        #expect(throws: JournalProblem.self) { try Samples.read([message + [0]]) }
    }

    @Test func `a body that ends early, with a right checksum, is refused by the field's name`() throws {
        let message = try Samples.writer.commit(Samples.commit(), at: Samples.time, replies: Samples.replies)[0]
        let first = 2 + 1 + 1 + 1 + 2 + 3 + 1
        for count in first..<message.count - 4 {
            let problem = #expect(throws: JournalProblem.self, "\(count) bytes") {
                try Samples.read([sealed(Array(message[..<count]))])
            }
            guard case .truncated = problem else {
                Issue.record("\(count) bytes: \(String(describing: problem))")
                continue
            }
        }
        let problem = #expect(throws: JournalProblem.self) {
            try Samples.read([sealed(Array(message.dropLast(4)) + [0])])
        }
        #expect(problem == .rest(bytes: 1))
    }

    @Test func `a damaged body with a right checksum never stops the program`() throws {
        let message = try Samples.writer.commit(Samples.commit(), at: Samples.time, replies: Samples.replies)[0]
        var refused = 0
        for bit in 0..<8 * (message.count - 4) {
            var changed = Array(message.dropLast(4))
            changed[bit / 8] ^= 1 << (bit % 8)
            if (try? Samples.read([sealed(changed)])) == nil { refused += 1 }
        }
        #expect(refused > 400)
    }

    @Test func `an unknown version, kind or flag is named, with its author`() {
        let known = Samples.writer.mark(1).dropLast(4)
        #expect(problem(of: known, at: 2, 9) == .version(9))
        #expect(problem(of: known, at: 3, 9) == .kind(9, node: "n1", term: 300))
        #expect(problem(of: known, at: 4, 4) == .flags(4, node: "n1", term: 300))
        #expect(problem(of: known, at: 4, 2) == .flags(2, node: "n1", term: 300), "only commits have parts")
        #expect(problem(of: known, at: 0, 0) == .notAnEntry)
        #expect(problem(of: known, at: 4, 4).map(\.description)?.contains("node 'n1' wrote it, in term 300") == true)
    }

    @Test func `a number has one form`() {
        let head = Samples.writer.mark(0).dropLast(5)
        #expect(throws: Never.self) { try Samples.read([sealed(head + [0])]) }
        #expect(throws: JournalProblem.value(field: "mark")) { try Samples.read([sealed(head + [0x80, 0])]) }
        let largest = [UInt8](repeating: 0xFF, count: 9)
        #expect(throws: Never.self) { try Samples.read([sealed(head + largest + [1])]) }
        #expect(throws: JournalProblem.value(field: "mark")) { try Samples.read([sealed(head + largest + [2])]) }
        #expect(throws: JournalProblem.truncated(field: "mark")) { try Samples.read([sealed(head + largest)]) }
    }

    private func problem(of bytes: ArraySlice<UInt8>, at place: Int, _ value: UInt8) -> JournalProblem? {
        var changed = Array(bytes)
        changed[place] = value
        do {
            _ = try Samples.read([sealed(changed)])
            return nil
        } catch { return error as? JournalProblem }
    }

    private func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

/// The bytes with their checksum.
func sealed(_ bytes: some Collection<UInt8>) -> [UInt8] {
    let bytes = Array(bytes)
    let sum = Checksum.crc32c(bytes, count: bytes.count)
    return bytes + (0..<4).map { UInt8(truncatingIfNeeded: sum >> UInt32(8 * $0)) }
}

/// The examples of RFC 3720, appendix B.4.
struct ChecksumTests {
    private static let known: [(bytes: [UInt8], sum: UInt32)] = [
        (Array("123456789".utf8), 0xE306_9283),
        ([UInt8](repeating: 0, count: 32), 0x8A91_36AA),
        ([UInt8](repeating: 0xFF, count: 32), 0x62A8_AB43),
        (Array(0..<32), 0x46DD_794E),
        (Array((0..<32).reversed()), 0x113F_DB5C),
        ([], 0),
    ]

    @Test func `known bytes have their checksum`() {
        for (bytes, sum) in Self.known { #expect(Checksum.crc32c(bytes, count: bytes.count) == sum) }
    }
}
