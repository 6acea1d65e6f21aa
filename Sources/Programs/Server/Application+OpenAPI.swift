import Admin
import ClientProtocol

extension Application {
    /// The OpenAPI document of the routes that this program serves.
    package static var openAPI: [UInt8] { OpenAPI.bytes }

    /// The AsyncAPI document of the commands that this program takes, and of its events.
    package static var asyncAPI: [UInt8] { AsyncAPI.bytes }
}
