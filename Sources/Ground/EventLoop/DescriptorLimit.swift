import Glibc

/// The file descriptors that the process may have; each connection needs one.
/// - Confinement: any
package enum DescriptorLimit {
    /// Raises the soft limit to the hard one, as far as the system lets it.
    /// - Returns: the limit in force.
    package static func raise() -> Int {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
        var raised = limit
        raised.rlim_cur = limit.rlim_max
        if unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &raised) == 0 { limit = raised }
        return Int(clamping: limit.rlim_cur)
    }

    /// Descriptors in use, estimated from the lowest free number.
    package static var used: Int {
        let free = Descriptor.openSpare()
        guard free >= 0 else { return Int.max }
        close(free)
        return Int(free)
    }
}
