import CExpat
import Model

/// Reads a whole XML document into a tree, with expat.
///
/// It fetches nothing and expands nothing: there is no handler for external entities, and a document that declares
/// entities is refused at its first declaration. Undeclared entities (`&nbsp;`, which feeds borrow from HTML) are read
/// with their meaning in HTML. Depth and number of elements are bounded.
///
/// - Confinement: any, for the time of one call
@safe
final class XMLTreeReader {
    private let parser: XML_Parser
    /// The open elements, the outermost first.
    private var open: [XMLElement] = []
    /// The text of the innermost element so far; expat splits a text at line ends, at references, and at its buffer's
    /// end.
    private var text = ""
    private var root: XMLElement?
    private var problem: XMLProblem?
    private var elementCount = 0

    /// Reads a document.
    ///
    /// - Parameter charset: The encoding by the transport, which overrides that of the document (RFC 7303 section 3).
    ///   If it does not work, the document is read again without it, since servers often send a wrong one.
    static func read(_ bytes: [UInt8], charset: String?) throws(XMLProblem) -> XMLElement {
        guard let charset = charset?.lowercased(), knows(charset), !beginsWithMark(bytes) else {
            return try XMLTreeReader(encoding: nil).read(bytes)
        }
        do {
            return try XMLTreeReader(encoding: charset).read(bytes)
        } catch {
            guard case .malformed = error else { throw error }
            return try XMLTreeReader(encoding: nil).read(bytes)
        }
    }

    private static func knows(_ charset: String) -> Bool {
        ["utf-8", "utf-16", "iso-8859-1", "us-ascii"].contains(charset) || CodePage.upperHalf(of: charset) != nil
    }

    /// Whether a byte order mark gives the encoding for certain.
    private static func beginsWithMark(_ bytes: [UInt8]) -> Bool {
        bytes.starts(with: [0xef, 0xbb, 0xbf]) || bytes.starts(with: [0xff, 0xfe]) || bytes.starts(with: [0xfe, 0xff])
    }

    private init(encoding: String?) throws(XMLProblem) {
        guard let parser = unsafe XML_ParserCreate(encoding) else { throw .noParser }
        unsafe self.parser = parser
    }

    deinit { unsafe XML_ParserFree(parser) }

    private func read(_ bytes: [UInt8]) throws(XMLProblem) -> XMLElement {
        setHandlers()
        let status = unsafe bytes.withUnsafeBytes { raw in
            unsafe XML_Parse(
                parser, raw.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(clamping: raw.count), 1)
        }
        if let problem { throw problem }
        guard status == XML_STATUS_OK, let root else {
            let code = unsafe XML_GetErrorCode(parser)
            let reason = unsafe XML_ErrorString(code).map { unsafe String(cString: $0) } ?? "it is empty"
            throw .malformed(reason, line: unsafe Int(XML_GetCurrentLineNumber(parser)))
        }
        return root
    }

    private func setHandlers() {
        unsafe XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
        unsafe XML_SetElementHandler(
            parser,
            { data, name, attributes in
                unsafe XMLTreeReader.of(data)?.begin(XMLTreeReader.text(name), XMLTreeReader.pairs(attributes))
            },
            { data, _ in unsafe XMLTreeReader.of(data)?.end() })
        unsafe XML_SetCharacterDataHandler(parser) { data, text, count in
            guard let text = unsafe text else { return }
            let bytes = unsafe UnsafeBufferPointer(start: text, count: Int(count))
            unsafe XMLTreeReader.of(data)?.add(String(decoding: bytes.map { UInt8(bitPattern: $0) }, as: UTF8.self))
        }
        // A named external grammar is not read; this setting makes expat skip unknown entities.
        unsafe XML_UseForeignDTD(parser, 1)
        unsafe XML_SetSkippedEntityHandler(parser) { data, name, isParameter in
            guard isParameter == 0 else { return }
            unsafe XMLTreeReader.of(data)?.add(HTMLEntity.text(named: XMLTreeReader.text(name)) ?? " ")
        }
        unsafe XML_SetStartDoctypeDeclHandler(parser) { data, _, _, _, hasDeclarations in
            if hasDeclarations != 0 { unsafe XMLTreeReader.of(data)?.stop(.declarations) }
        }
        unsafe XML_SetEntityDeclHandler(parser) { data, _, _, _, _, _, _, _, _ in
            unsafe XMLTreeReader.of(data)?.stop(.declarations)
        }
        unsafe XML_SetUnknownEncodingHandler(
            parser,
            { _, name, encoding in
                guard let encoding = unsafe encoding else { return Int32(XML_STATUS_ERROR.rawValue) }
                return unsafe XMLTreeReader.fill(encoding, for: XMLTreeReader.text(name))
            }, nil)
    }

    private func begin(_ name: String, _ attributes: [String: String]) {
        guard problem == nil else { return }
        elementCount += 1
        closeText()
        guard elementCount <= FeedLimits.xmlElementsMax else { return stop(.tooManyElements) }
        guard open.count < FeedLimits.xmlDepthMax else { return stop(.tooDeep) }
        open.append(XMLElement(name: name, attributes: attributes))
    }

    private func end() {
        guard problem == nil else { return }
        closeText()
        guard let element = open.popLast() else { return }
        guard let last = open.indices.last else {
            root = element
            return
        }
        open[last].pieces.append(.element(element))
    }

    private func add(_ more: String) {
        if problem == nil, !open.isEmpty { text += more }
    }

    /// Ends the present text, since an element begins or ends.
    private func closeText() {
        guard !text.isEmpty, let last = open.indices.last else { return }
        open[last].pieces.append(.text(text))
        text = ""
    }

    private func stop(_ problem: XMLProblem) {
        guard self.problem == nil else { return }
        self.problem = problem
        unsafe XML_StopParser(parser, 0)
    }

    /// The object whose address expat was given.
    @unsafe
    private static func of(_ data: UnsafeMutableRawPointer?) -> XMLTreeReader? {
        guard let data = unsafe data else { return nil }
        return unsafe Unmanaged<XMLTreeReader>.fromOpaque(data).takeUnretainedValue()
    }

    @unsafe
    private static func text(_ characters: UnsafePointer<CChar>?) -> String {
        unsafe characters.map { unsafe String(cString: $0) } ?? ""
    }

    /// Names and values in turn, ended by a null pointer.
    @unsafe
    private static func pairs(_ list: UnsafeMutablePointer<UnsafePointer<CChar>?>?) -> [String: String] {
        var pairs: [String: String] = [:]
        var index = 0
        while let name = unsafe list?[index], let value = unsafe list?[index + 1] {
            unsafe pairs[String(cString: name)] = unsafe String(cString: value)
            index += 2
        }
        return pairs
    }

    @unsafe
    private static func fill(_ encoding: UnsafeMutablePointer<XML_Encoding>, for name: String) -> Int32 {
        guard let upperHalf = CodePage.upperHalf(of: name.lowercased()) else { return Int32(XML_STATUS_ERROR.rawValue) }
        let meanings = (0..<128).map { Int32($0) } + upperHalf.unicodeScalars.map { Int32($0.value) }
        unsafe withUnsafeMutableBytes(of: &encoding.pointee.map) { map in
            for (index, meaning) in meanings.prefix(256).enumerated() {
                unsafe map.storeBytes(of: meaning, toByteOffset: index * 4, as: Int32.self)
            }
        }
        unsafe encoding.pointee.data = nil
        unsafe encoding.pointee.convert = nil
        unsafe encoding.pointee.release = nil
        return Int32(XML_STATUS_OK.rawValue)
    }
}

@available(*, unavailable)
extension XMLTreeReader: Sendable {}
