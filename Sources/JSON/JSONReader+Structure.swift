/// The structure of the text: white space, brackets, commas, and the names read so far.
extension JSONReader {
    /// Up to this number, names are compared one by one; with more, they are hashed.
    private static var comparedNamesMax: Int { 16 }

    /// The error at a place. Long names are shortened in its path, so that a peer cannot choose the size of the
    /// refusal.
    func failure(_ reason: JSONError.Reason, at place: Int) -> JSONError {
        var path = field
        if path.utf8.count > 200 { path = String(path.prefix(200)) + "…" }
        return JSONError(reason: reason, offset: place, field: path)
    }

    /// The first byte after white space, not consumed.
    mutating func nextByte() throws(JSONError) -> UInt8 {
        offset = text.skipWhitespace(from: offset)
        guard offset < text.limit else { throw failure(.unexpectedEnd) }
        return text.bytes[offset]
    }

    mutating func begin(_ kind: JSONKind) throws(JSONError) {
        guard try peek() == kind else { throw failure(.wrongType(wanted: kind)) }
        guard frames.count < depthMax else { throw failure(.tooDeep(max: depthMax)) }
        offset += 1
        if frames.isEmpty {
            // Enough for nearly all texts in one allocation, instead of four.
            frames.reserveCapacity(4)
            names.reserveCapacity(Self.comparedNamesMax)
        }
        frames.append(Frame(isObject: kind == .object, namesStart: names.count))
    }

    /// Steps to the next member or element, or past the closing bracket.
    mutating func advance(isObject: Bool, close: UInt8) throws(JSONError) -> Bool {
        let top = frames.count - 1
        precondition(top >= 0 && frames[top].isObject == isObject, "JSONReader asked for members of what is not open")
        let isFirst = frames[top].count == 0
        frames[top].name = nil
        let byte = try nextByte()
        if byte == close {
            offset += 1
            names.removeLast(names.count - frames[top].namesStart)
            frames.removeLast()
            return false
        }
        if !isFirst {
            guard byte == UInt8(ascii: ",") else { throw failure(.unexpectedByte(byte)) }
            offset += 1
        }
        frames[top].count += 1
        return true
    }

    /// Refuses a repeated name. Names are equal when their code points are (RFC 8259, section 8.3), with or without
    /// escapes.
    mutating func refuseDuplicate(_ token: JSONToken) throws(JSONError) {
        let top = frames.count - 1
        if frames[top].seen == nil {
            let start = frames[top].namesStart
            if names.count - start < Self.comparedNamesMax {
                for index in start..<names.count where isSame(names[index], token) {
                    throw failure(.duplicateName, at: token.range.lowerBound)
                }
                names.append(token)
                return
            }
            frames[top].seen = Set(names[start...].map { JSONName($0, in: text.bytes) })
        }
        guard frames[top].seen?.insert(JSONName(token, in: text.bytes)).inserted == true else {
            throw failure(.duplicateName, at: token.range.lowerBound)
        }
    }

    private func isSame(_ one: JSONToken, _ other: JSONToken) -> Bool {
        guard one.isPlain, other.isPlain else {
            return string(at: one).utf8.elementsEqual(string(at: other).utf8)
        }
        guard one.range.count == other.range.count else { return false }
        var left = one.range.lowerBound + 1
        var right = other.range.lowerBound + 1
        while left < one.range.upperBound {
            guard text.bytes[left] == text.bytes[right] else { return false }
            left += 1
            right += 1
        }
        return true
    }
}
