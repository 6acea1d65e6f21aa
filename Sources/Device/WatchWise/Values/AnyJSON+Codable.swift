import Foundation
import JSON

extension AnyJSON: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([AnyJSON].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: AnyJSON].self))
        }
    }

    /// Writes the value as it is, without a name of its own.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let values): try container.encode(values)
        case .object(let members): try container.encode(members)
        }
    }

    /// Makes JSON of a value of the application; dates are RFC 3339.
    /// - Throws: `WatchWiseError` when it cannot be JSON, for example infinity.
    init(encoding value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        do {
            self.init(try JSONValue(parsing: Array(encoder.encode(value)), depthMax: AnyJSON.depthMax))
        } catch {
            throw WatchWiseError(.permanent, "bad-request", "the value cannot be written as JSON: \(error)")
        }
    }

    /// Makes a value of the application.
    /// - Throws: `WatchWiseError` that names the member at fault.
    func decoded<Value: Decodable>(as type: Value.Type) throws -> Value {
        if let same = self as? Value { return same }
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        do {
            return try decoder.decode(type, from: Data(value.bytes))
        } catch let error as DecodingError {
            let place: DecodingError.Context? =
                switch error {
                case .typeMismatch(_, let place), .valueNotFound(_, let place), .dataCorrupted(let place): place
                case .keyNotFound(let key, let place):
                    DecodingError.Context(
                        codingPath: place.codingPath + [key], debugDescription: "the member is missing")
                @unknown default: nil
                }
            let field = place?.codingPath.map(\.stringValue).joined(separator: ".")
            throw WatchWiseError(
                .permanent, "not-decodable", place?.debugDescription ?? "\(error)", field: field)
        }
    }

    /// The deepest nesting of a document in an event of the server.
    static let depthMax = 24
}
