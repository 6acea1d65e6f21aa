import Foundation

/// The machine and the program of a run.
enum Machine {
    /// Processor, memory and kernel, in one line.
    static var description: String {
        let model =
            ProcessMeter.text("/proc/cpuinfo")?.split(separator: "\n").first { $0.hasPrefix("model name") }?
            .split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) } ?? "unknown processor"
        let memory = ProcessMeter.text("/proc/meminfo")?.split(separator: " ").compactMap { Int64($0) }.first ?? 0
        return "\(processors) × \(model), \(memory / 1_048_576) GiB"
    }

    static var processors: Int { ProcessInfo.processInfo.activeProcessorCount }

    static var kernel: String {
        let release = ProcessMeter.text("/proc/sys/kernel/osrelease") ?? ""
        return "Linux " + release.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// The seconds of all processors that any program has used since the start of the machine.
    static var usedSeconds: Double {
        let line = ProcessMeter.text("/proc/stat")?.split(separator: "\n").first ?? ""
        // user, nice, system, idle, waiting for disks, interrupts of two kinds, stolen by the host
        let ticks = line.split(separator: " ").dropFirst().prefix(8).compactMap { Double($0) }
        guard ticks.count == 8 else { return 0 }
        return (ticks.reduce(0, +) - ticks[3] - ticks[4]) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// How busy the machine was with other work before the run: the load average of one minute.
    static var loadAverage: Double {
        ProcessMeter.text("/proc/loadavg")?.split(separator: " ").first.flatMap { Double($0) } ?? 0
    }

    /// The commit of the folder in which the program runs; empty outside of a repository.
    static var commit: String {
        let environment = ProcessInfo.processInfo.environment
        if let given = environment["WATCHWISE_COMMIT"], !given.isEmpty { return given }
        let git = Process()
        git.executableURL = URL(filePath: "/usr/bin/env")
        git.arguments = ["git", "log", "-1", "--format=%h %s"]
        let output = Pipe()
        git.standardOutput = output
        git.standardError = FileHandle.nullDevice
        guard (try? git.run()) != nil else { return "" }
        let said = try? output.fileHandleForReading.readToEnd()
        let text = String(decoding: said ?? Data(), as: UTF8.self)
        git.waitUntilExit()
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
