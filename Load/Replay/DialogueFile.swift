import FoundationEssentials
import JSON
import Model

/// The conversations of a file of JSON lines.
struct DialogueFile: Sendable {
    let dialogues: [Dialogue]
    /// Lines that are not conversations, each with the reason.
    let skippedLines: [String]

    var emptyTexts: Int { dialogues.reduce(0) { $0 + $1.emptyTexts } }
    var longTexts: Int { dialogues.reduce(0) { $0 + $1.longTexts } }

    /// Reads a file.
    /// - Parameter limit: The most conversations to read; nil reads all.
    /// - Throws: when there is no such file.
    init(path: String, limit: Int?) throws {
        let contents = try Data(contentsOf: URL(filePath: path))
        var dialogues: [Dialogue] = []
        var skipped: [String] = []
        for (index, line) in Array(contents).split(separator: UInt8(ascii: "\n")).enumerated() {
            if let limit, dialogues.count >= limit { break }
            do {
                dialogues.append(try Dialogue(try JSONValue(parsing: Array(line))))
            } catch let problem as DialogueProblem {
                skipped.append("line \(index + 1): \(problem.what)")
            } catch let error as JSONError {
                skipped.append("line \(index + 1): \(error.message)")
            }
        }
        self.dialogues = dialogues
        skippedLines = skipped
    }

    /// Sentences about the parts that were left out.
    var remarks: [String] {
        var remarks: [String] = []
        if emptyTexts > 0 { remarks.append("\(emptyTexts) texts skipped: empty") }
        if longTexts > 0 {
            remarks.append("\(longTexts) texts skipped: over \(Limits.messageCharactersMax) characters")
        }
        if !skippedLines.isEmpty {
            remarks.append("\(skippedLines.count) lines skipped, no conversations: \(skippedLines.prefix(3))")
        }
        return remarks
    }
}
