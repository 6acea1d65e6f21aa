import Model

/// An element of an XML document, as a tree of bounded depth.
///
/// Names are kept as written, with their prefix: feeds use the usual prefixes of RSS and Atom.
///
/// - Confinement: any
struct XMLElement: Sendable, Hashable {
    /// The content between the tags, in order.
    enum Piece: Sendable, Hashable {
        case text(String)
        case element(XMLElement)
    }

    let name: String
    let attributes: [String: String]
    var pieces: [Piece] = []

    /// Without the prefix.
    var localName: Substring { name.split(separator: ":", maxSplits: 1).last ?? "" }

    /// The elements directly inside.
    var elements: [XMLElement] {
        pieces.compactMap { piece in
            guard case .element(let element) = piece else { return nil }
            return element
        }
    }

    /// The first direct child with this name, including the prefix.
    func first(_ name: String) -> XMLElement? { elements.first { $0.name == name } }

    /// The first direct child with this name, whatever its prefix.
    func first(local name: String) -> XMLElement? { elements.first { $0.localName == name } }

    /// The text of this element and of everything inside of it, with a blank where an element begins or ends.
    var text: String {
        pieces.map { piece in
            switch piece {
            case .text(let text): text
            case .element(let element): " " + element.text + " "
            }
        }.joined()
    }
}

/// Why a text is not accepted as XML.
///
/// - Confinement: any
enum XMLProblem: Error, Sendable, Hashable, CustomStringConvertible {
    /// expat's message, and the line.
    case malformed(String, line: Int)
    /// It declares entities or a grammar.
    case declarations
    case tooDeep
    case tooManyElements
    case noParser
    /// It names an encoding that nobody knows, and is not UTF-8.
    case unknownEncoding(String)
    /// The system has no reader for its encoding.
    case missingEncoding(String)
    /// It names no encoding, and is not UTF-8.
    case notUTF8

    var description: String {
        switch self {
        case .malformed(let reason, let line): "it is not XML: \(reason), line \(line)"
        case .declarations: "it has a document type with declarations, which are not accepted"
        case .tooDeep: "its elements lie more than \(FeedLimits.xmlDepthMax) deep"
        case .tooManyElements: "it has more than \(FeedLimits.xmlElementsMax) elements"
        case .noParser: "expat has no memory for it"
        case .unknownEncoding(let name): "nobody knows its encoding \(name), and it is not UTF-8"
        case .missingEncoding(let name): "this system cannot read its encoding \(name): the files of gconv are missing"
        case .notUTF8: "it is not UTF-8, and it names no other encoding"
        }
    }
}
