/// An XML document of somebody else: what can be read of it, and what was wrong with it.
///
/// Feeds come from programs that put texts together, so one character of one text makes a document that is not XML. A reader that
/// insists on the rules shows nothing until somebody else has mended the source. Therefore a document that expat refuses is mended once,
/// character by character, and read again.
///
/// - Confinement: any
struct XMLDocument {
    let root: XMLElement
    /// The mistakes of the document for its operator, as phrases that follow a colon.
    let remarks: [String]

    /// - Parameter charset: The encoding that the transport names.
    init(_ bytes: [UInt8], charset: String?) throws(XMLProblem) {
        let text = try DocumentText(bytes, charset: charset)
        var remarks = text.remark.map { [$0] } ?? []
        do {
            root = try XMLTreeReader.read(text.bytes, linesBefore: text.linesBefore)
        } catch {
            guard case .malformed(let reason, let line) = error else { throw error }
            root = try Self.mended(text, error)
            remarks.append("its XML has a mistake that was mended (\(reason), line \(line))")
        }
        self.remarks = remarks
    }

    /// Reads a document that expat has refused, after it was mended.
    ///
    /// - Throws: the problem of the first attempt, which names the mistake that could not be mended.
    private static func mended(_ text: DocumentText, _ problem: XMLProblem) throws(XMLProblem) -> XMLElement {
        var first: XMLProblem?
        for bytes in XMLMender.attempts(text.bytes) {
            do {
                return try XMLTreeReader.read(bytes, linesBefore: text.linesBefore, isLenient: true)
            } catch {
                first = first ?? error
            }
        }
        throw first ?? problem
    }
}
