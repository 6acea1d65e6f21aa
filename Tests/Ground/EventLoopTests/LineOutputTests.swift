import EventLoop
import Foundation
import Testing

/// Lines on a descriptor whose reader is slow, has gone, or never was.
struct LineOutputTests {
    private let pipe = Pipe()

    init() { _ = signal(SIGPIPE, SIG_IGN) }

    private var output: LineOutput { LineOutput(descriptor: pipe.fileHandleForWriting.fileDescriptor) }

    /// Fills the pipe with bytes that are no lines.
    /// - Returns: How many it took.
    private func fill() -> Int {
        let descriptor = pipe.fileHandleForWriting.fileDescriptor
        let flags = fcntl(descriptor, F_GETFL)
        _ = fcntl(descriptor, F_SETFL, flags | O_NONBLOCK)
        defer { _ = fcntl(descriptor, F_SETFL, flags) }
        let bytes = Data(repeating: 0x2e, count: 4096)
        var count = 0
        while (try? pipe.fileHandleForWriting.write(contentsOf: bytes)) != nil { count += bytes.count }
        return count
    }

    private func read(_ count: Int) throws -> String {
        String(decoding: try pipe.fileHandleForReading.read(upToCount: count) ?? Data(), as: UTF8.self)
    }

    private func readToEnd() throws -> String {
        try pipe.fileHandleForWriting.close()
        return String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    }

    @Test func `a line that fits is written as it is`() throws {
        let output = output
        output.write("one\n") { "lost \($0)\n" }
        output.write("two\n") { "lost \($0)\n" }
        #expect(output.linesLost == 0)
        #expect(try readToEnd() == "one\ntwo\n")
    }

    @Test func `a full pipe loses lines without a wait, and tells how many when it has room again`() throws {
        let filled = fill()
        let output = output
        let began = ContinuousClock.now
        for number in 1...3 { output.write("line \(number)\n") { "lost \($0)\n" } }
        #expect(ContinuousClock.now - began < .seconds(2))
        #expect(output.linesLost == 3)
        _ = try read(filled)
        output.write("line 4\n") { "lost \($0)\n" }
        output.write("line 5\n") { "lost \($0)\n" }
        #expect(output.linesLost == 3)
        #expect(try readToEnd() == "lost 3\nline 4\nline 5\n")
    }

    @Test func `a line that was taken in part is ended before the next one`() throws {
        let filled = fill()
        _ = try read(4096)
        let output = output
        output.write(String(repeating: "x", count: 6000) + "\n") { "lost \($0)\n" }
        #expect(output.linesLost == 1)
        _ = try read(filled - 4096)
        output.write("whole\n") { "lost \($0)\n" }
        #expect(try readToEnd() == String(repeating: "x", count: 4096) + "\nlost 1\nwhole\n")
    }

    @Test func `a long line is written whole where there is room`() throws {
        let line = String(repeating: "y", count: 20_000) + "\n"
        output.write(line) { "lost \($0)\n" }
        #expect(try readToEnd() == line)
    }

    @Test func `a pipe whose reader has gone loses lines`() throws {
        try pipe.fileHandleForReading.close()
        let output = output
        output.write("one\n") { "lost \($0)\n" }
        output.write("two\n") { "lost \($0)\n" }
        #expect(output.linesLost == 2)
    }

    @Test func `a full disk loses lines`() throws {
        let file = try #require(FileHandle(forWritingAtPath: "/dev/full"))
        let output = LineOutput(descriptor: file.fileDescriptor)
        output.write("one\n") { "lost \($0)\n" }
        #expect(output.linesLost == 1)
    }

    @Test func `a descriptor that is closed loses lines`() {
        let output = LineOutput(descriptor: 1_000_000)
        output.write("one\n") { "lost \($0)\n" }
        #expect(output.linesLost == 1)
    }

    @Test func `lines of many threads are not mixed`() async throws {
        let output = output
        async let whole = Task.detached { [pipe] in try pipe.fileHandleForReading.readToEnd() ?? Data() }.value
        await withTaskGroup { group in
            for name in ["a", "b", "c", "d"] {
                group.addTask {
                    for _ in 0..<200 { output.write(String(repeating: name, count: 5000) + "\n") { _ in "" } }
                }
            }
        }
        try pipe.fileHandleForWriting.close()
        let lines = String(decoding: try await whole, as: UTF8.self).split(separator: "\n")
        // A line that was lost half of the way is shorter, and stands alone.
        #expect(lines.allSatisfy { line in line.count <= 5000 && Set(line).count == 1 })
        #expect(lines.contains { $0.count == 5000 })
    }
}
