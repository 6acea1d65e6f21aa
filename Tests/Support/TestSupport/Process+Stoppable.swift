package import Foundation

extension Process {
    /// Starts a program that SIGTERM can stop: the threads that run tests block signals, and a child inherits that.
    package func runStoppable() throws {
        var all = sigset_t()
        var before = sigset_t()
        unsafe sigfillset(&all)
        unsafe pthread_sigmask(SIG_UNBLOCK, &all, &before)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        try run()
    }
}
