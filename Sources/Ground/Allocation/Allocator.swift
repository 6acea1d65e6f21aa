import CJemalloc

/// The allocator of the server's process: a program that has this module takes its memory from jemalloc instead of glibc.
///
/// A message is allocated by one thread and freed by others. glibc takes the lock of the thread that allocated it; jemalloc frees into
/// a cache of the thread that frees. The libraries for applications and the programs that count allocations do not have this module.
///
/// - Confinement: any
package enum Allocator {
    /// Gives freed memory back to the kernel from now on, within some ten seconds, also while the threads that used it rest.
    ///
    /// Called before there are many other threads. Where another allocator stands in front of jemalloc, such as that of a sanitizer, it
    /// does nothing.
    package static func startReturningMemory() { _ = watchwise_allocator_purge_in_background() }

    /// The version of jemalloc at run time.
    package static var version: String {
        guard let text = unsafe watchwise_allocator_version() else { return "0.0.0" }
        return String(unsafe String(cString: text).prefix { $0 != "-" })
    }
}
