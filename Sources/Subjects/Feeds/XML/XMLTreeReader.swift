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

    /// Reads a document in UTF-8, whatever its declaration says.
    ///
    /// - Parameters:
    ///   - linesBefore: The lines that stood before these bytes; errors count them.
    ///   - isLenient: Whether a document counts as whole when its outermost element is.
    static func read(
        _ bytes: [UInt8], linesBefore: Int = 0, isLenient: Bool = false
    ) throws(XMLProblem) -> XMLElement {
        try XMLTreeReader().read(bytes, linesBefore, isLenient)
    }

    private init() throws(XMLProblem) {
        guard let parser = unsafe XML_ParserCreate("UTF-8") else { throw .noParser }
        unsafe self.parser = parser
    }

    deinit { unsafe XML_ParserFree(parser) }

    private func read(
        _ bytes: [UInt8], _ linesBefore: Int, _ isLenient: Bool
    ) throws(XMLProblem) -> XMLElement {
        setHandlers()
        let status = unsafe bytes.withUnsafeBytes { raw in
            unsafe XML_Parse(
                parser, raw.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(clamping: raw.count), 1)
        }
        if let problem { throw problem }
        guard status == XML_STATUS_OK || isLenient, let root else {
            let code = unsafe XML_GetErrorCode(parser)
            let reason = unsafe XML_ErrorString(code).map { unsafe String(cString: $0) } ?? "it is empty"
            throw .malformed(reason, line: linesBefore + (unsafe Int(XML_GetCurrentLineNumber(parser))))
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
}

@available(*, unavailable)
extension XMLTreeReader: Sendable {}
