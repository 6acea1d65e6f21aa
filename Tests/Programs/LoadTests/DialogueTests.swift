import JSON
import Model
import TestSupport
import Testing

@testable import watchwise_load

@Suite struct DialogueTests {
    @Test(
        arguments: [
            ("Super Troopers (2001)", "Super Troopers", 2001), ("Police Academy  (1984)", "Police Academy", 1984),
            ("American Pie ", "American Pie", nil), ("(500) Days of Summer (2009)", "(500) Days of Summer", 2009),
            ("1984", "1984", nil), ("(2001)", nil, 2001), ("", nil, nil), ("Alien (extended)", "Alien (extended)", nil),
        ] as [(String, String?, Int?)])
    func `a film's year is taken from its name`(name: String, title: String?, year: Int?) {
        #expect(FilmName(name).title == title)
        #expect(FilmName(name).year == year)
    }

    @Test func `a film is recommended after the text that names it, the other films at the end`() throws {
        let dialogue = try Dialogue(
            Self.line([
                (1, "like @11?"), (2, "take @111"), (1, ""), (2, "bye"), (1, String(repeating: "x", count: 4_001)),
            ])
        )
        let said = dialogue.turns.map { turn in
            switch turn.utterance {
            case .text(let text): text
            case .recommendation(let product): product.id
            }
        }
        #expect(said == ["like @11?", "take @111", "movie/111", "bye", "movie/11"])
        #expect(dialogue.emptyTexts == 1)
        #expect(dialogue.longTexts == 1)
        #expect(dialogue.chat.text == "w1:w2")
    }

    @Test func `a third person in a conversation of two is refused`() {
        #expect(throws: DialogueProblem.self) { try Dialogue(Self.line([(3, "hi")])) }
    }

    @Test func `the project's own conversations are read whole, with all that real ones showed`() throws {
        let file = try DialogueFile(path: SampleData.own.path("conversations.jsonl"), limit: nil)
        #expect(file.skippedLines == [])
        #expect(file.remarks == ["2 texts skipped: empty", "1 texts skipped: over 4000 characters"])
        #expect(file.dialogues.count == 197)
        let turns = file.dialogues.flatMap(\.turns)
        let texts = turns.compactMap { if case .text(let text) = $0.utterance { text } else { nil } }
        let films = turns.compactMap { if case .recommendation(let film) = $0.utterance { film } else { nil } }
        #expect(texts.count == 2162)
        #expect(films.count == 348)
        #expect(Set(films.map(\.id)).count == 44)
        #expect(films.contains { $0.title == nil } && films.contains { $0.title != nil && $0.year == nil })
        #expect(Set(file.dialogues.map(\.chat)).count == 104)
        #expect(file.dialogues.contains { $0.turns.first?.byInitiator == false })
        #expect(texts.map(\.unicodeScalars.count).max() == 2933)
        for part in ["\r\n", "&quot;", "👨‍👩‍👧‍👦", "ß", "ς", "ł", "’", "שלום", "{{title}}", "\\"] {
            #expect(texts.contains { $0.contains(part) }, "no text has \(part)")
        }
    }

    private static func line(_ messages: [(Int64, String)]) -> JSONValue {
        [
            "initiatorWorkerId": 1, "respondentWorkerId": 2,
            "movieMentions": ["11": "Eleven (1911)", "111": "Many", "12": "Seen before"],
            "initiatorQuestions": ["11": ["suggested": 1], "111": ["suggested": 0], "12": ["suggested": 0]],
            "respondentQuestions": ["111": ["suggested": 1]],
            "messages": .array(
                messages.map {
                    [
                        "senderWorkerId": .integer($0.0), "text": .string($0.1), "timeOffset": 1,
                    ]
                }),
        ]
    }
}
