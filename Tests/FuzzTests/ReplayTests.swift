import Foundation
import FuzzTargets
import Testing

/// Runs every input that once showed something to a fuzzer, or broke a parser, through the same functions without
/// libFuzzer.
struct ReplayTests {
    @Test(arguments: allFuzzTargets.map { $0.name })
    func `a target has a corpus, and all its inputs and those that once broke it pass`(_ name: String) throws {
        let inputs = try Inputs.of(name)
        #expect(inputs.contains { $0.folder == "Corpus" })
        var target = try #require(allFuzzTargets.first { $0.name == name }).init()
        for input in inputs {
            #expect(throws: Never.self, "\(input.folder)/\(name)/\(input.file)") { try target.check(input.bytes) }
        }
    }

    @Test(arguments: allFuzzTargets.map { $0.name })
    func `every seed cut short, and with a byte changed, passes`(_ name: String) throws {
        var target = try #require(allFuzzTargets.first { $0.name == name }).init()
        for input in try Inputs.of(name) where input.bytes.count <= 128 {
            for place in input.bytes.indices {
                var changed = input.bytes
                changed[place] ^= 1 << (place % 8)
                for bytes in [Array(input.bytes[..<place]), changed] {
                    #expect(throws: Never.self, "\(input.file) at \(place)") { try target.check(bytes) }
                }
            }
        }
    }

    @Test func `every folder of inputs belongs to a target`() throws {
        let names = Set(allFuzzTargets.map { $0.name })
        for folder in ["Corpus", "Crashes"] {
            #expect(try Inputs.names(in: Inputs.root.appending(path: folder)).filter { !names.contains($0) } == [])
        }
        #expect(names.count == allFuzzTargets.count)
    }
}

/// The files of `Tests/Fuzz`.
private enum Inputs {
    struct Input {
        let folder: String
        let file: String
        let bytes: [UInt8]
    }

    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Fuzz")

    static func of(_ target: String) throws -> [Input] {
        try ["Corpus", "Crashes"].flatMap { folder in
            let place = root.appending(path: "\(folder)/\(target)")
            return try names(in: place).map { file in
                Input(folder: folder, file: file, bytes: Array(try Data(contentsOf: place.appending(path: file))))
            }
        }
    }

    /// Empty when there is no such folder: Git does not keep empty folders.
    static func names(in folder: URL) throws -> [String] {
        guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }
}
