package import Foundation

extension Thread {
    /// For what takes time by itself, and for the few tests about time.
    package static func pause(milliseconds: Int) { sleep(forTimeInterval: Double(milliseconds) / 1000) }
}
