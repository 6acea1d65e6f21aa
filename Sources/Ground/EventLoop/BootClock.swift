import Glibc

/// The machine's clock that never jumps and goes on during sleep (`clock_gettime(2)`, `CLOCK_BOOTTIME`).
///
/// - Confinement: any
package enum BootClock {
    /// Microseconds since the machine was started.
    package static var microseconds: Int64 {
        microseconds(of: CLOCK_BOOTTIME)
    }

    fileprivate static func microseconds(of clock: clockid_t) -> Int64 {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }
}

/// The processor time of the calling thread (`clock_gettime(2)`, `CLOCK_THREAD_CPUTIME_ID`): the cost of its work,
/// independent of other threads.
///
/// - Confinement: any
package enum ThreadClock {
    /// Microseconds since the thread began.
    package static var microseconds: Int64 {
        BootClock.microseconds(of: CLOCK_THREAD_CPUTIME_ID)
    }

    /// `RUSAGE_THREAD`, a macro that Swift cannot import.
    private static let ofThread: Int32 = 1

    /// How often a thread has left the processor.
    package struct Switches: Sendable {
        /// Because it waited for something.
        package var waits = 0
        /// Because another thread was to run.
        package var preemptions = 0

        package init() {}
    }

    /// How often the calling thread has left the processor so far (`getrusage(2)`, `RUSAGE_THREAD`).
    package static var switches: Switches {
        var usage = rusage()
        unsafe getrusage(ofThread, &usage)
        var switches = Switches()
        (switches.waits, switches.preemptions) = (usage.ru_nvcsw, usage.ru_nivcsw)
        return switches
    }
}
