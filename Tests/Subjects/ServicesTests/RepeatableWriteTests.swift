import Foundation
import Model
import Services
import Testing

/// A promise on which the writer relies, see ``WriteUseCase``: a write that is undone and done again leaves the same as a
/// write that is done once.
struct RepeatableWriteTests {
    @Test(arguments: RepeatableWrite.all)
    func `a write that is undone and done again answers and leaves the same as one that is done once`(
        write: RepeatableWrite
    ) throws {
        let once = try write.trace(isRepeated: false)
        let again = try write.trace(isRepeated: true)
        #expect(again.answer == once.answer)
        #expect(again.fact == once.fact)
        #expect(again.steps == once.steps)
        #expect(again.rows == once.rows)
    }

    @Test func `every use case that writes is undone and done again`() throws {
        let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Sources")
            .standardized
        var names: Set<String> = []
        let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
        for case let file as URL in files where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            for match in text.matches(of: /(?:struct|extension) (\w+)(<[^>]*>)?: [^\n{]*\bWriteUseCase\b[^\n]*\{/) {
                names.insert(String(match.1))
            }
        }
        names.remove("WriteUseCase")
        #expect(names.count > 30)
        #expect(Set(RepeatableWrite.all.map(\.name)) == names)
    }
}
