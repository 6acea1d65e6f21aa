import ClientProtocol
import Foundation
import JSON
import Model

/// The place in the log that `listen` has shown, kept between two runs.
struct CursorFile {
    let path: String

    /// The place; nil when there is no file yet.
    func read() throws -> ResumePoint? {
        guard Files.isThere(path) else { return nil }
        let value = try? JSONValue(parsing: Files.read(path))
        guard let epoch = value?["epoch"]?.stringValue.flatMap(Epoch.init), let seq = value?["seq"]?.integerValue else {
            throw CommandFailure(
                .misused, "\(path) is not a cursor of 'watchwise listen': remove it, or name another file")
        }
        return ResumePoint(epoch: epoch, seq: Position(seq))
    }

    /// Replaces the file as a whole.
    func write(_ point: ResumePoint) throws {
        let text: JSONValue = ["epoch": .string(point.epoch.text), "seq": .integer(point.seq.value)]
        do {
            try Data(text.bytes).write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw CommandFailure(.failed, "--cursor: \(path) cannot be written: \(error.localizedDescription)")
        }
    }
}
