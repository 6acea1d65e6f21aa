import Foundation
import Model
import Privacy
import Services
import ServicesTestSupport
import Testing

/// A promise on which the writer relies, see ``WriteUseCase``: a write that is undone and done again leaves the same as a
/// write that is done once.
struct RepeatableWriteTests {
    @Test(arguments: RepeatableWrite.all)
    func `a write that is undone and done again answers and leaves the same as one that is done once`(
        write: RepeatableWrite
    ) throws {
        check(try write.trace(isRepeated: true), is: try write.trace(isRepeated: false))
    }

    private func check(_ again: House.Trace, is once: House.Trace) {
        #expect(again.answer == once.answer)
        #expect(again.fact == once.fact)
        #expect(again.steps == once.steps)
        #expect(again.rows == once.rows)
    }

    @Test func `so does each slice of an erasure, after those before it`() throws {
        let once = try RepeatableWrite.erasing()
        let again = try RepeatableWrite.erasing()
        for _ in 0..<72 {
            check(
                try again.trace(of: EraseSlice(), by: "server", isRepeated: true),
                is: try once.trace(of: EraseSlice(), by: "server", isRepeated: false))
        }
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
