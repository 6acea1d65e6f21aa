import TestSupport
import Testing

@testable import Wire

@Suite struct UTF8ValidatorTests {
    private func isValid(_ pieces: [[UInt8]]) -> Bool {
        var validator = UTF8Validator()
        return pieces.allSatisfy { validator.accept($0) } && validator.isComplete
    }

    @Test(
        arguments: [
            [], [0x00], [0x7F], [0xC2, 0x80], [0xDF, 0xBF], [0xE0, 0xA0, 0x80], [0xED, 0x9F, 0xBF], [0xEE, 0x80, 0x80],
            [0xEF, 0xBF, 0xBF], [0xF0, 0x90, 0x80, 0x80], [0xF4, 0x8F, 0xBF, 0xBF], Array("aκόσμε日本語🎬 fine text".utf8),
        ] as [[UInt8]]
    )
    func `valid text is accepted however it is cut`(bytes: [UInt8]) {
        #expect(isValid([bytes]))
        #expect(isValid(bytes.map { [$0] }))
    }

    @Test(
        arguments: [
            [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x9F, 0xBF], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF],
            [0xF0, 0x8F, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFE], [0xFF], [0xC2, 0x41],
            [0xE2, 0x82, 0x41], [0xC2], [0xE2, 0x82], [0xF0, 0x90, 0x80],
        ] as [[UInt8]]
    )
    func `invalid text is refused after any ASCII and wherever it is cut`(bytes: [UInt8]) {
        for prefix in [0, 1, 7, 8, 9, 16] {
            let text = [UInt8](repeating: 0x61, count: prefix) + bytes
            #expect(!isValid([text]))
            #expect(!isValid(text.map { [$0] }))
        }
    }

    @Test func `the validator agrees with the standard library on random bytes`() {
        var random = SeededRandom(seed: 7)
        let alphabet: [UInt8] = [0x41, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC2, 0xE0, 0xE2, 0xED, 0xF0, 0xF1, 0xF4]
        for _ in 0..<50_000 {
            let bytes = (0..<Int.random(in: 0...6, using: &random)).map { _ in
                alphabet.randomElement(using: &random) ?? 0
            }
            #expect(isValid([bytes]) == (String(validating: bytes, as: UTF8.self) != nil), "\(bytes)")
        }
    }
}
