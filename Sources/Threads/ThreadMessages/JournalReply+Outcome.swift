import ClientProtocol
import Execution
import JSON
package import Journal

// The outcome of a write on its way through the journal to the node of its session.
extension JournalReply.Outcome {
    package init(_ outcome: Outcome) {
        switch outcome {
        case .success(let answer):
            if case .version(let version) = answer.fact {
                self = .answer(answer.body, version: version)
            } else {
                // All other facts are for the node that leads.
                self = .answer(answer.body)
            }
        case .failure(let refusal):
            var writer = JSONWriter()
            writer.beginObject()
            refusal.write(to: &writer)
            writer.endObject()
            self = .refusal(writer.fittedBytes)
        }
    }

    /// The outcome for the session.
    package var outcome: Outcome {
        switch self {
        case .answer(let json, let version): .success(EncodedAnswer(json, version.map { .version($0) } ?? .none))
        case .refusal(let json): .failure(Refusal(ofNode: json))
        }
    }
}

extension Refusal {
    /// Reads a refusal that another node has written, with the present document byte by byte.
    fileprivate init(ofNode json: [UInt8]) {
        do {
            guard let refusal = Refusal(try JSONValue(parsing: json, depthMax: JSONReader.depthCeiling)) else {
                self = .notUnderstood
                return
            }
            self = refusal
            found = try Self.found(in: json)
        } catch { self = .notUnderstood }
    }

    private static func found(in json: [UInt8]) throws(JSONError) -> Found? {
        var reader = JSONReader(json, depthMax: JSONReader.depthCeiling)
        var (version, data): (Int64?, [UInt8]?)
        try reader.beginObject()
        while let name = try reader.nextName() {
            switch name {
            case "version": version = try reader.integer()
            case "data":
                let token = try reader.skip()
                data = token.kind == .null ? nil : Array(json[token.range])
            default: try reader.skip()
            }
        }
        return version.map { Found(version: $0, data: data) }
    }

    private static var notUnderstood: Refusal {
        Refusal(.internal, "the leading node's answer is not understood here; repeat the write with the same key")
    }
}
