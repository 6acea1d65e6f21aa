import Foundation
import Testing

@testable import EmbeddedFiles

/// The files in the program are those in the folders. A file that is missing here was added after the list was written:
/// `Sources/Ground/CEmbeddedFiles/list` writes it again.
struct EmbeddedFolderTests {
    private static let sources = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Sources").standardized

    static let folders = [
        ("Programs/Demo/Pages", EmbeddedFolder.demoPages, 57),
        ("Device/WebLibrary/Files", .webLibrary, 35),
        ("Threads/Configuration/Ready", .readyApplications, 10),
    ]

    @Test(arguments: folders) func `the program carries each file of the folder, byte for byte, and no other`(
        path: String, folder: EmbeddedFolder, atLeast count: Int
    ) throws {
        let place = Self.sources.appending(path: path)
        let found = try #require(FileManager.default.enumerator(atPath: place.path))
            .compactMap { $0 as? String }
            .filter { try place.appending(path: $0).resourceValues(forKeys: [.isDirectoryKey]).isDirectory != true }
        #expect(found.count >= count)
        #expect(folder.names.sorted() == found.sorted(), "run Sources/Ground/CEmbeddedFiles/list")
        for name in found where folder.names.contains(name) {
            let bytes = Array(try Data(contentsOf: place.appending(path: name)))
            #expect(folder.bytes(of: name) == bytes, "\(name)")
        }
    }
}
