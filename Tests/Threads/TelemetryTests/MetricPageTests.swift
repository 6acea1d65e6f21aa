import Testing
@testable import Telemetry

struct MetricPageTests {
    private func lines(_ family: MetricFamily) -> [String] { family.text.split(separator: "\n").map(String.init) }

    @Test(arguments: [
        ("answer_milliseconds_total", 1500, "watchwise_answer_seconds_total 1.5"),
        ("work_microseconds", 250, "watchwise_work_seconds 0.00025"), ("held_bytes", 1500, "watchwise_held_bytes 1500"),
    ])
    func `a number is shown in seconds or bytes, whatever it is counted in`(
        _ name: String, _ value: Int, _ line: String
    ) {
        #expect(lines(MetricFamily((name, false, "N.", value))).last == line)
    }

    @Test func `the bounds of a histogram are in its unit, and a value at a bound counts below it`() {
        let durations = DurationMetrics()
        for microseconds: Int64 in [250, 251, 999_999, 10_000_000, 10_000_001] {
            durations.commit.observe(microseconds)
        }
        let shown = lines(durations.commit.family)
        #expect(shown.contains("watchwise_commit_duration_seconds_bucket{le=\"0.00025\"} 1"))
        #expect(shown.contains("watchwise_commit_duration_seconds_bucket{le=\"0.0005\"} 2"))
        #expect(shown.contains("watchwise_commit_duration_seconds_bucket{le=\"1.0\"} 3"))
        #expect(shown.contains("watchwise_commit_duration_seconds_bucket{le=\"10.0\"} 4"))
        #expect(shown.contains("watchwise_commit_duration_seconds_bucket{le=\"+Inf\"} 5"))
        #expect(
            shown.suffix(2) == [
                "watchwise_commit_duration_seconds_sum 21.000501", "watchwise_commit_duration_seconds_count 5",
            ])
        #expect(durations.commit.count == 5)
    }

    @Test func `threads count together in a histogram and lose nothing`() async {
        let durations = DurationMetrics()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { for value in 0..<10_000 { durations.read.observe(Int64(value)) } } }
        }
        #expect(durations.read.count == 80_000)
        #expect(lines(durations.read.family).contains("watchwise_read_duration_seconds_sum 399.96"))
    }

    @Test func `the figures of a process have the names that all programs give them, and the program is named`() throws
    {
        let machine = MachineMetrics()
        machine.setBuild([("version", "1.2.3"), ("commit", "a\"b")])
        machine.look(atDatabase: "/proc/self/exe", search: "/nowhere", folder: "/")
        let shown = machine.families.flatMap(lines)
        #expect(shown.contains("watchwise_build_info{version=\"1.2.3\",commit=\"a\\\"b\"} 1"))
        func value(_ name: String) throws -> Double {
            try #require(shown.first { $0.hasPrefix(name + " ") }.flatMap { Double($0.dropFirst(name.count + 1)) })
        }
        #expect(try value("process_cpu_seconds_total") > 0)
        #expect(try value("process_resident_memory_bytes") > 1_000_000)
        #expect(try value("process_open_fds") >= 3)
        #expect(try value("process_max_fds") > value("process_open_fds"))
        #expect(try value("watchwise_disk_free_bytes") > 0)
        #expect(try value("watchwise_database_bytes{file=\"main\"}") > 0)
        #expect(!shown.contains { $0.contains("file=\"search\"") })
    }
}
