package import JSON

/// The file `package.json`, by which npm, Node and bundlers know the library.
///
/// - Confinement: any
package enum PackageDescription {
    /// Each entry names its types first, which TypeScript asks for, and React Native before all that run anywhere.
    ///
    /// - Parameter repository: the address of the repository that the package comes from, for one that is published.
    package static func value(version: String, repository: String?) -> JSONValue {
        var package = contents
        package["version"] = .string(version)
        package["repository"] = repository.map { ["type": "git", "url": .string($0)] }
        return .object(package)
    }

    private static let contents: JSONObject = [
        "name": "watchwise", "version": "",
        "description": "Realtime notifications and chat with a WatchWise server: lists that live, writes that survive.",
        "license": "Apache-2.0",
        "type": "module", "main": "./watchwise.js", "types": "./watchwise.d.ts",
        "react-native": "./watchwise-native.js",
        // A worker and elements are nothing but their effects; all else may be left out where it is not used.
        "sideEffects": ["./watchwise-worker.js", "./watchwise-elements.js"],
        "exports": [
            ".": ["types": "./watchwise.d.ts", "react-native": "./watchwise-native.js", "default": "./watchwise.js"],
            "./live": ["types": "./watchwise-live.d.ts", "default": "./watchwise-live.js"],
            "./elements": ["types": "./watchwise-elements.d.ts", "default": "./watchwise-elements.js"],
            "./sqlite": ["types": "./watchwise-sqlite.d.ts", "default": "./watchwise-sqlite.js"],
            "./worker": "./watchwise-worker.js", "./protocol": ["types": "./watchwise-protocol.d.ts"],
            "./watchwise.js": "./watchwise.js", "./watchwise-worker.js": "./watchwise-worker.js",
            "./watchwise-sqlite.js": "./watchwise-sqlite.js", "./package.json": "./package.json",
        ],
        "files": ["*.js", "*.js.map", "*.d.ts", "src"], "engines": ["node": ">=22"],
    ]
}
