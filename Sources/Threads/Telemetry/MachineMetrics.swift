internal import Files
import Synchronization

/// The room on the disk, and the memory, the processors and the descriptors that the process takes.
///
/// The figures of a process have the names that they have for every program.
///
/// - Confinement: any
package final class MachineMetrics: Sendable {
    private let files = LabelledMetric(
        .gauge, "database_bytes", labels: ["file"],
        "Sizes of the database's file, of SQLite's log and of the search's index.")
    private let free = Metric(gauge: "disk_free_bytes", "Room that is left on the disk of the data folder.")
    private let openDescriptors = Metric(gauge: "process_open_fds", "File descriptors that the process has open.")
    /// Labels of the one number that says which program runs. Protected by its lock, taken once and for each page.
    private let build = Mutex<[(name: String, value: String)]>([])

    init() {}

    /// Which program runs.
    ///
    /// - Parameter labels: names such as `version`, with their values.
    package func setBuild(_ labels: [(name: String, value: String)]) { build.withLock { $0 = labels } }

    /// Looks at the disk and at the descriptors, which may take milliseconds.
    ///
    /// - Parameter database: the path of its file.
    package func look(atDatabase database: String, search: String, folder: String) {
        for (name, path) in [("main", database), ("log", database + "-wal"), ("search", search)] {
            if let bytes = DiskFigures.bytes(ofFile: path) { files.set(bytes, name) }
        }
        if let bytes = DiskFigures.free(of: folder) { free.set(bytes) }
        if let count = ProcessFigures.openDescriptors() { openDescriptors.set(count) }
    }

    /// In the order in which they are shown.
    var families: [MetricFamily] {
        let build = build.withLock { $0 }
        let program = MetricFamily(
            .gauge, "build_info", "Always 1; its labels say which program runs.", [MetricFamily.Sample(build, 1)])
        return (build.isEmpty ? [] : [program]) + [files.family, MetricFamily(free.row)] + process
    }

    private var process: [MetricFamily] {
        var all = [
            Self.common(
                .counter, "process_cpu_seconds_total", "Processor time of the process.", ProcessFigures.cpuMicroseconds,
                .millionths),
            Self.common(.gauge, openDescriptors.row.name, openDescriptors.row.help, openDescriptors.now),
            Self.common(
                .gauge, "process_max_fds", "File descriptors that the process may open.", ProcessFigures.descriptorsMax),
        ]
        if let memory = ProcessFigures.memory {
            all.append(
                Self.common(.gauge, "process_resident_memory_bytes", "Memory that the process takes.", memory.resident))
            all.append(
                Self.common(
                    .gauge, "process_virtual_memory_bytes", "Memory that the process may address.", memory.virtual))
        }
        if let start = ProcessFigures.startSeconds {
            all.append(Self.common(.gauge, "process_start_time_seconds", "When the process began.", start))
        }
        return all
    }

    /// A number with everybody's name.
    private static func common(
        _ kind: MetricFamily.Kind, _ name: String, _ help: String, _ value: Int, _ scale: MetricScale = .whole
    ) -> MetricFamily {
        MetricFamily(kind, name, help, [MetricFamily.Sample([], value, scale)], isOwn: false)
    }
}
