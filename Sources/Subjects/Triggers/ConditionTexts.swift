import Foundation
import GRDBSQLite
import Model

/// SQLite's `instr`, `replace` and `trim`, with a count of their comparisons: SQLite's own functions may compare the
/// product of two lengths in a single step, which cannot be interrupted. The comparisons draw on the budget of the
/// evaluation.
///
/// A test compares them with SQLite's.
///
/// - Confinement: store
enum ConditionTexts {
    /// Bytes that count as one step, where each byte is read once.
    private static let bytesPerStep = 32

    /// Registers the functions in place of the built-in ones.
    @unsafe
    static func register(in connection: OpaquePointer, _ budget: ConditionBudget) throws(PatternProblem) {
        let functions: [(name: String, count: Int32, function: ConditionFunction.Callback)] = unsafe [
            ("instr", 2, callInstr), ("replace", 3, callReplace),
            ("trim", 1, callTrim), ("trim", 2, callTrim), ("ltrim", 1, callTrimStart), ("ltrim", 2, callTrimStart),
            ("rtrim", 1, callTrimEnd), ("rtrim", 2, callTrimEnd),
            ("like", 2, callLike), ("like", 3, callLike), ("glob", 2, callGlob),
        ]
        for unsafe(name, count, function) in unsafe functions {
            try unsafe ConditionFunction.register(name, count, in: connection, owner: budget, function)
        }
    }

    /// The arguments of a call; nil where one is NULL, or where the texts are longer than the budget covers.
    ///
    /// - Parameter isText: Whether a BLOB may be read as a text, which has the same bytes.
    @unsafe
    static func texts(
        _ context: OpaquePointer,
        _ count: Int32,
        _ values: UnsafeMutablePointer<OpaquePointer?>
    ) -> [UnsafeBufferPointer<UInt8>]? {
        var texts: [UnsafeBufferPointer<UInt8>] = unsafe []
        var length = 0
        for index in 0..<Int(count) {
            guard unsafe sqlite3_value_type(values[index]) != SQLITE_NULL else { return nil }
            let start = unsafe sqlite3_value_text(values[index])
            let text = unsafe UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(values[index])))
            unsafe texts.append(text)
            length += text.count
        }
        guard unsafe take(length / bytesPerStep, context) else { return nil }
        return unsafe texts
    }

    /// Takes work from the budget; false, with the error set, when the budget is used up.
    @unsafe
    static func take(_ steps: Int, _ context: OpaquePointer) -> Bool {
        guard let budget = unsafe budget(of: context), budget.take(steps) else {
            unsafe sqlite3_result_error_code(context, SQLITE_INTERRUPT)
            return false
        }
        return true
    }

    @unsafe
    static func budget(of context: OpaquePointer) -> ConditionBudget? {
        guard let data = unsafe sqlite3_user_data(context) else { return nil }
        return unsafe Unmanaged<ConditionBudget>.fromOpaque(data).takeUnretainedValue()
    }

    /// The first place of `needle` in `text` at or after `start`; nil when there is none, or when `comparisons` are
    /// used up, which then is below zero.
    @unsafe
    fileprivate static func place(
        of needle: UnsafeBufferPointer<UInt8>,
        in text: UnsafeBufferPointer<UInt8>,
        from start: Int,
        comparisons: inout Int
    ) -> Int? {
        guard let base = text.baseAddress, let wanted = needle.baseAddress else { return nil }
        let first = unsafe Int32(wanted[0])
        // Comparing a hundred bytes takes as long as comparing a character.
        let price = 1 + needle.count / 128
        var place = start
        while place + needle.count <= text.count, comparisons >= 0 {
            guard let found = unsafe memchr(base + place, first, text.count - needle.count - place + 1) else {
                return nil
            }
            place = unsafe UnsafeRawPointer(found) - UnsafeRawPointer(base)
            if unsafe memcmp(base + place, wanted, needle.count) == 0 { return place }
            comparisons -= price
            place += 1
        }
        return nil
    }

    /// Calls `body` with the number of comparisons that the budget allows, and charges those that it used.
    ///
    /// - Returns: nil, with the error set, when it needed more.
    @unsafe
    static func counting<Result>(_ context: OpaquePointer, _ body: (inout Int) -> Result) -> Result? {
        guard let budget = unsafe budget(of: context) else { return nil }
        let given = budget.rest * TriggerLimits.comparisonsPerStep
        var comparisons = given
        let result = body(&comparisons)
        guard unsafe take((given - comparisons) / TriggerLimits.comparisonsPerStep, context) else { return nil }
        guard comparisons >= 0 else {
            unsafe sqlite3_result_error_code(context, SQLITE_INTERRUPT)
            return nil
        }
        return result
    }

    /// Whether a byte continues the character before it.
    static func isContinuation(_ byte: UInt8) -> Bool { byte & 0xc0 == 0x80 }

    @unsafe
    fileprivate static func result(_ text: UnsafeBufferPointer<UInt8>, _ context: OpaquePointer) {
        guard let base = text.baseAddress else {
            unsafe sqlite3_result_text(context, "", 0, nil)
            return
        }
        unsafe base.withMemoryRebound(to: CChar.self, capacity: text.count) { characters in
            // SQLITE_TRANSIENT, a cast in C's header that Swift does not import.
            let copied = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
            unsafe sqlite3_result_text(context, characters, Int32(text.count), copied)
        }
    }
}

/// `instr(text, needle)`: in characters, from 1; in bytes where both are BLOBs; 0 when it is not there.
private func callInstr(context: OpaquePointer?, count: Int32, values: UnsafeMutablePointer<OpaquePointer?>?) {
    guard let context = unsafe context, let values = unsafe values else { return }
    // Must be read first: reading a BLOB as a text changes its type.
    let isBytes = unsafe sqlite3_value_type(values[0]) == SQLITE_BLOB && sqlite3_value_type(values[1]) == SQLITE_BLOB
    guard let texts = unsafe ConditionTexts.texts(context, count, values) else { return }
    let (text, needle) = unsafe (texts[0], texts[1])
    guard needle.count > 0 else { return unsafe sqlite3_result_int64(context, 1) }
    let search = unsafe ConditionTexts.counting(context) { comparisons in
        unsafe ConditionTexts.place(of: needle, in: text, from: 0, comparisons: &comparisons)
    }
    guard let found = search else { return }
    guard let place = found,
        // A needle that begins in the middle of a character is only found at the beginning.
        unsafe isBytes || place == 0 || !ConditionTexts.isContinuation(needle[0])
    else { return unsafe sqlite3_result_int64(context, 0) }
    var number = place + 1
    if !isBytes {
        number = 1
        for index in 1..<max(1, place + 1) where unsafe !ConditionTexts.isContinuation(text[index]) { number += 1 }
    }
    unsafe sqlite3_result_int64(context, Int64(number))
}

/// `replace(text, pattern, replacement)`
private func callReplace(context: OpaquePointer?, count: Int32, values: UnsafeMutablePointer<OpaquePointer?>?) {
    guard let context = unsafe context, let values = unsafe values,
        let texts = unsafe ConditionTexts.texts(context, count, values)
    else { return }
    let (text, pattern, replacement) = unsafe (texts[0], texts[1], texts[2])
    guard pattern.count > 0, unsafe pattern[0] != 0 else {
        return unsafe sqlite3_result_value(context, values[0])
    }
    let limit = unsafe Int(sqlite3_limit(sqlite3_context_db_handle(context), SQLITE_LIMIT_LENGTH, -1))
    let output = unsafe ConditionTexts.counting(context) { comparisons -> [UInt8] in
        var output: [UInt8] = []
        var start = 0
        while output.count <= limit,
            let place = unsafe ConditionTexts.place(of: pattern, in: text, from: start, comparisons: &comparisons)
        {
            unsafe output += text[start..<place]
            unsafe output += replacement
            comparisons -= 2 + (place - start + replacement.count) / 128
            start = place + pattern.count
        }
        unsafe output += text[start...]
        return output
    }
    guard let output else { return }
    guard output.count <= limit else { return unsafe sqlite3_result_error_toobig(context) }
    unsafe output.withUnsafeBufferPointer { bytes in unsafe ConditionTexts.result(bytes, context) }
}

private func callTrim(context: OpaquePointer?, count: Int32, values: UnsafeMutablePointer<OpaquePointer?>?) {
    unsafe trim(context, count, values, atStart: true, atEnd: true)
}

private func callTrimStart(context: OpaquePointer?, count: Int32, values: UnsafeMutablePointer<OpaquePointer?>?) {
    unsafe trim(context, count, values, atStart: true, atEnd: false)
}

private func callTrimEnd(context: OpaquePointer?, count: Int32, values: UnsafeMutablePointer<OpaquePointer?>?) {
    unsafe trim(context, count, values, atStart: false, atEnd: true)
}

/// `trim(text)` and `trim(text, characters)`: removes these characters from the ends.
@unsafe
private func trim(
    _ context: OpaquePointer?,
    _ count: Int32,
    _ values: UnsafeMutablePointer<OpaquePointer?>?,
    atStart: Bool,
    atEnd: Bool
) {
    guard let context = unsafe context, let values = unsafe values,
        let texts = unsafe ConditionTexts.texts(context, count, values)
    else { return }
    let text = unsafe texts[0]
    let characters = count > 1 ? unsafe CharacterBytes(in: texts[1]) : CharacterBytes(byte: 0x20)
    // Looking up a character takes about as long as a step.
    guard unsafe ConditionTexts.take(text.count / 4 + (count > 1 ? texts[1].count / 2 : 0), context) else { return }
    var (start, end) = (0, text.count)
    while atStart, start < end {
        let length = unsafe CharacterBytes.length(of: text, at: start)
        guard unsafe characters.contains(text, start, length) else { break }
        start += length
    }
    while atEnd, end > start {
        let length = unsafe CharacterBytes.length(of: text, before: end, from: start)
        guard unsafe characters.contains(text, end - length, length) else { break }
        end -= length
    }
    unsafe ConditionTexts.result(UnsafeBufferPointer(rebasing: text[start..<end]), context)
}

/// The characters that `trim` removes, each as its bytes in one number.
///
/// - Confinement: store
private struct CharacterBytes {
    private var ascii = [Bool](repeating: false, count: 128)
    private var others: Set<UInt64> = []

    init(byte: UInt8) { ascii[Int(byte)] = true }

    init(in text: UnsafeBufferPointer<UInt8>) {
        var index = 0
        while index < text.count {
            let length = unsafe Self.length(of: text, at: index)
            if unsafe text[index] < 0x80 {
                ascii[unsafe Int(text[index])] = true
            } else if length <= 8 {
                others.insert(unsafe Self.number(text, index, length))
            }
            index += length
        }
    }

    func contains(_ text: UnsafeBufferPointer<UInt8>, _ index: Int, _ length: Int) -> Bool {
        if unsafe text[index] < 0x80 { return ascii[unsafe Int(text[index])] }
        return length <= 8 && others.contains(unsafe Self.number(text, index, length))
    }

    private static func number(_ text: UnsafeBufferPointer<UInt8>, _ index: Int, _ length: Int) -> UInt64 {
        (index..<index + length).reduce(0) { number, index in number << 8 | UInt64(unsafe text[index]) }
    }

    /// Bytes of the character at a place, by SQLite's rules for stepping through a text.
    static func length(of text: UnsafeBufferPointer<UInt8>, at start: Int) -> Int {
        guard unsafe text[start] >= 0xc0 else { return 1 }
        var end = start + 1
        while unsafe end < text.count && ConditionTexts.isContinuation(text[end]) { end += 1 }
        return end - start
    }

    /// Bytes of the character that ends before a place.
    static func length(of text: UnsafeBufferPointer<UInt8>, before end: Int, from first: Int) -> Int {
        var start = end - 1
        while unsafe start > first && end - start < 8 && ConditionTexts.isContinuation(text[start]) { start -= 1 }
        return unsafe text[start] >= 0xc0 ? end - start : 1
    }
}
