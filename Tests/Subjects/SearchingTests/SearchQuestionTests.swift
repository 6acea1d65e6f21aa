import Searching
import Testing

struct SearchQuestionTests {
    private func marked(_ question: String, _ text: String) throws -> [String]? {
        let units = Array(text.utf16)
        return try SearchQuestion(question).marks(in: FoldedText(text))?.map {
            String(decoding: units[$0], as: UTF16.self)
        }
    }

    @Test(arguments: [
        ("λαμψη", "Είδες τη Λάμψη;", ["Λάμψη"]), ("ΣΚΟΤΕΙΝΟΣ", "ο σκοτεινός", ["σκοτεινός"]),
        ("lodz", "w Łodzi", ["Łodzi"]), ("zolty", "żółty pies", ["żółty"]), ("perche", "E perché no?", ["perché"]),
        ("映画", "昨日映画を見た", ["映画"]), ("見た", "昨日映画を見た", ["見た"]), ("mat", "The Matrix", ["Matrix"]),
        ("the mat", "The Matrix", ["The", "Matrix"]), ("matrix the", "The Matrix", ["The", "Matrix"]),
        ("\"the matrix\"", "in the Matrix, the matrix", ["the Matrix", "the matrix"]),
        ("l'amico", "è l’amico mio", ["l’amico"]), ("🎬", "see 🎬!", ["🎬"]), ("the th", "the", ["the"]),
        ("“the matrix”", "the matrix", ["the matrix"]), ("\"the mat", "the matrix", ["the matrix"]),
    ])
    func `a question finds and marks`(question: String, text: String, marks: [String]) throws {
        #expect(try marked(question, text) == marks)
    }

    @Test(arguments: [
        ("the matrix", "the mat"), ("\"matrix the\"", "the matrix"), ("mat ", "matrix"), ("\"mat\"", "matrix"),
        ("mat the", "the matrix"), ("画映", "映画"), ("atrix", "matrix"),
    ])
    func `a text that lacks a term is no answer`(question: String, text: String) throws {
        #expect(try marked(question, text) == nil)
    }

    @Test(arguments: ["", " ", "\"\"", "!?", "\"", "***", "\u{301}"])
    func `a question that has no words is refused`(question: String) {
        #expect(throws: SearchQuestion.Problem.noWord) { try SearchQuestion(question) }
    }

    @Test func `a question has at most sixteen words`() throws {
        let words = Array(repeating: "a", count: SearchQuestion.wordsMax)
        #expect(try SearchQuestion(words.joined(separator: " ")).terms.count == SearchQuestion.wordsMax)
        #expect(throws: SearchQuestion.Problem.tooManyWords) {
            try SearchQuestion((words + ["b"]).joined(separator: " "))
        }
    }

    @Test(arguments: [
        "a OR b", "a NOT b", "NEAR(a b)", "a*", "col:a", "^a", "{a}: b", "(a", "a AND", "-a", "a + b", "\"a",
    ])
    func `an operator of FTS5 in a question is a word or nothing`(question: String) throws {
        for word in try SearchQuestion(question).terms.flatMap(\.words) {
            #expect(word == FoldedText(word).text && !word.contains(" "))
        }
    }

    @Test func `a term may stand in the second text, without a mark`() throws {
        let question = try SearchQuestion("tonight matrix")
        #expect(question.marks(in: FoldedText("Tonight?"), or: FoldedText("The Matrix")) == [0..<7])
        #expect(question.marks(in: FoldedText("Tonight?"), or: FoldedText("Up")) == nil)
    }
}
