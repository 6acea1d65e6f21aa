import CBuild
import Configuration
import Server

/// The output of `watchwise --version`.
enum Version {
    /// The program, the commit it was built from, and the libraries that it runs with, and its tables.
    static let text = """
        \(ServerConfiguration.serverName) (commit \(commit))
        \(LinkedLibraries.text)
        \(ProgramWatch.ownLine)
        """

    private static var commit: String {
        let bytes = (0...).lazy.map { UInt8(bitPattern: watchwise_commit($0)) }.prefix { $0 != 0 }
        return String(decoding: Array(bytes), as: UTF8.self)
    }
}
