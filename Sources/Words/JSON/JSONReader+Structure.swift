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
        // Most texts have no white space between their words.
        if offset < text.limit, text.bytes[offset] > UInt8(ascii: " ") { return text.bytes[offset] }
        offset = text.skipWhitespace(from: offset)
        guard offset < text.limit else { throw failure(.unexpectedEnd) }
        return text.bytes[offset]
    }

    mutating func begin(_ kind: JSONKind) throws(JSONError) {
        guard try peek() == kind else { throw failure(.wrongType(wanted: kind)) }
        guard depth < depthMax else { throw failure(.tooDeep(max: depthMax)) }
        offset += 1
        if depth > 0 {
            if outer.isEmpty { outer.reserveCapacity(4) }
            outer.append(top)
        } else {
            // Enough for nearly all texts in one allocation, instead of four.
            names.reserveCapacity(Self.comparedNamesMax)
        }
        depth += 1
        top = Frame(isObject: kind == .object, namesStart: names.count)
    }

    /// Steps to the next member or element, or past the closing bracket.
    mutating func advance(isObject: Bool, close: UInt8) throws(JSONError) -> Bool {
        precondition(depth > 0 && top.isObject == isObject, "JSONReader asked for members of what is not open")
        top.name = nil
        let byte = try nextByte()
        if byte == close {
            offset += 1
            names.removeLast(names.count - top.namesStart)
            depth -= 1
            if depth > 0 { top = outer.removeLast() }
            return false
        }
        if top.count > 0 {
            guard byte == UInt8(ascii: ",") else { throw failure(.unexpectedByte(byte)) }
            offset += 1
        }
        top.count += 1
        return true
    }

    /// Refuses a repeated name. Names are equal when their code points are (RFC 8259, section 8.3), with or without
    /// escapes.
    mutating func refuseDuplicate(_ token: JSONToken) throws(JSONError) {
        if top.seen == nil {
            let start = top.namesStart
            if names.count - start < Self.comparedNamesMax {
                for index in start..<names.count where isSame(names[index], token) {
                    throw failure(.duplicateName, at: token.range.lowerBound)
                }
                names.append(token)
                return
            }
            top.seen = Set(names[start...].map { JSONName($0, in: text.bytes) })
        }
        guard top.seen?.insert(JSONName(token, in: text.bytes)).inserted == true else {
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
