import CEmbeddedFiles

/// The files of a folder of `Sources`, which the program carries in itself.
///
/// - Confinement: any
package struct EmbeddedFolder: Sendable {
    /// The pages, scripts and pictures of the demo.
    package static let demoPages = EmbeddedFolder("Programs/Demo/Pages/")
    /// The modules of the library for browsers.
    package static let webLibrary = EmbeddedFolder("Device/WebLibrary/Files/")
    /// The configurations and trigger tables of the applications that ship with the server.
    package static let readyApplications = EmbeddedFolder("Threads/Configuration/Ready/")

    /// The folder below `Sources`, with a slash at the end.
    private let path: String
    private let places: [String: Int]

    private init(_ path: String) {
        self.path = path
        var places: [String: Int] = [:]
        var index = 0
        while let file = unsafe watchwise_embedded_file(index) {
            let found = unsafe String(cString: file.pointee.path)
            if found.hasPrefix(path) { places[String(found.dropFirst(path.count))] = index }
            index += 1
        }
        self.places = places
    }

    /// The files by their places in the folder, `shell/start.js` for example, in no order.
    package var names: Dictionary<String, Int>.Keys { places.keys }

    /// The content of the file. A name that is not in the folder is a mistake of this program and stops it.
    package func bytes(of name: String) -> [UInt8] {
        guard let place = places[name], let file = unsafe watchwise_embedded_file(place) else {
            preconditionFailure("\(path) has no file \(name)")
        }
        return unsafe Array(UnsafeBufferPointer(start: file.pointee.bytes, count: file.pointee.length))
    }
}
