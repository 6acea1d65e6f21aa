import Foundation
import Testing
@testable import Files

struct ProcessFiguresTests {
    @Test func `open descriptors are counted, without those that are looked at`() throws {
        let before = try #require(ProcessFigures.openDescriptors())
        let pipes = (0..<50).map { _ in Pipe() }
        let during = try #require(ProcessFigures.openDescriptors())
        // Other tests of this process open and close some, too.
        #expect(abs(during - before - 100) < 50, "\(before), \(during)")
        withExtendedLifetime(pipes) {}
        #expect(ProcessFigures.descriptorsMax >= during)
    }

    @Test func `the process has begun before now and not before the machine`() throws {
        let start = try #require(ProcessFigures.startSeconds)
        let now = Int(Date().timeIntervalSince1970)
        #expect(start <= now + 1)
        #expect(now - start < 86_400)
    }

    @Test func `work takes processor time, and memory is counted in bytes`() throws {
        let before = ProcessFigures.cpuMicroseconds
        var sum = 0
        while ProcessFigures.cpuMicroseconds - before < 20_000 { sum &+= 1 }
        #expect(sum > 0)
        let memory = try #require(ProcessFigures.memory)
        #expect(memory.resident > 1_000_000 && memory.virtual >= memory.resident)
    }

    @Test func `a file has a size, and a disk has room`() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "figures-\(UUID())").path
        try Data(count: 12_345).write(to: URL(fileURLWithPath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(DiskFigures.bytes(ofFile: path) == 12_345)
        #expect(DiskFigures.bytes(ofFile: path + "-none") == nil)
        #expect(try #require(DiskFigures.free(of: "/")) > 0)
        #expect(DiskFigures.free(of: path + "-none") == nil)
    }
}
