import Model

/// An element of an XML document, as a tree of bounded depth.
///
/// Names are as written, with their prefix: who announces in RSS or Atom calls them what everybody does.
///
/// - Confinement: any
struct XMLElement: Sendable, Hashable {
    /// What stands between the tags, in its order.
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

    /// The first element directly inside whose name is this, prefix and all.
    func first(_ name: String) -> XMLElement? { elements.first { $0.name == name } }

    /// The first element directly inside of the name, whatever its prefix.
    func first(local name: String) -> XMLElement? { elements.first { $0.localName == name } }

    /// The text of this element and of all inside it, a blank where an element begins or ends.
    var text: String {
        pieces.map { piece in
            switch piece {
            case .text(let text): text
            case .element(let element): " " + element.text + " "
            }
        }.joined()
    }
}

/// Why a text is no XML that is taken.
///
/// - Confinement: any
enum XMLProblem: Error, Sendable, Hashable, CustomStringConvertible {
    /// expat's words, and where.
    case malformed(String, line: Int)
    /// It declares entities or a grammar of its own.
    case declarations
    case tooDeep
    case tooManyElements
    case noParser

    var description: String {
        switch self {
        case .malformed(let reason, let line): "it is not XML: \(reason), line \(line)"
        case .declarations: "it has a document type with declarations, which are not accepted"
        case .tooDeep: "its elements lie more than \(FeedLimits.xmlDepthMax) deep"
        case .tooManyElements: "it has more than \(FeedLimits.xmlElementsMax) elements"
        case .noParser: "expat has no memory for it"
        }
    }
}
