import Files
import Foundation
import Glibc
import TestSupport
import Testing

/// Results on descriptors that are slow, full, or that nobody reads.
struct ResultOutputTests {
    private static func failure(_ body: () throws -> Void) -> ResultOutput.Failure? {
        do {
            try body()
            return nil
        } catch {
            return error as? ResultOutput.Failure
        }
    }

    @Test func `a pipe that does not block and is read slowly gets every byte, in order`() throws {
        let folder = TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
        let pipe = Pipe()
        let reader = Process()
        reader.executableURL = URL(filePath: "/bin/sh")
        reader.arguments = ["-c", #"sleep 0.2; cat > "$0""#, "\(folder.path)/read"]
        reader.standardInput = pipe
        try reader.runStoppable()
        let writer = pipe.fileHandleForWriting
        #expect(fcntl(writer.fileDescriptor, F_SETFL, O_NONBLOCK) == 0)
        let bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        try ResultOutput(descriptor: writer.fileDescriptor).write(bytes)
        try writer.close()
        reader.waitUntilExit()
        #expect(try Data(contentsOf: URL(filePath: "\(folder.path)/read")) == Data(bytes))
    }

    @Test func `a full device, a descriptor for reading and a pipe without a reader differ`() throws {
        signal(SIGPIPE, SIG_IGN)
        let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
        let reading = try #require(FileHandle(forReadingAtPath: "/dev/null"))
        let pipe = Pipe()
        try pipe.fileHandleForReading.close()
        for (file, expected) in [
            (full, ResultOutput.Failure.system("No space left on device")), (reading, .system("Bad file descriptor")),
            (pipe.fileHandleForWriting, .noReader),
        ] {
            let output = ResultOutput(descriptor: file.fileDescriptor)
            #expect(Self.failure { try output.write([1]) } == expected)
            #expect(Self.failure { try output.write([]) } == nil)
        }
    }
}
