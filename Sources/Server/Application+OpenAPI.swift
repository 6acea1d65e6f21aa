import Gateway

extension Application {
    /// The OpenAPI document of the routes that this program serves.
    package static var openAPI: [UInt8] { OpenAPI.bytes }
}
