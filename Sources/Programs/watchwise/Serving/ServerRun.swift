import Allocation
import Configuration
import EventLoop
import Foundation
import Server

/// Runs a server until a signal stops it.
enum ServerRun {
    /// Starts, calls `ready`, waits for SIGTERM or SIGINT, stops. SIGHUP reloads the TLS certificate, the secret and the keys of
    /// issuers; SIGUSR1 and SIGUSR2 do nothing.
    ///
    /// - Parameters:
    ///   - pages: Makes the pages that are served in addition to the API.
    ///   - ready: Gets the server and a loop, which runs on this thread until the signal; returns what to do before the
    ///     server stops.
    /// - Throws: `CommandFailure` when the server does not start, and errors of `ready`.
    static func run(
        _ configuration: ServerConfiguration, pages: Application.PagesMaker? = nil,
        ready: (Application, Loop) throws -> () -> Void
    ) throws {
        let loop = try Loop()
        var finish: () -> Void = {}
        // Before anything else, so that a signal during the start stops the server, too.
        var reload: () -> Void = {}
        let notice = try StopNotice(configuration.noticeMilliseconds ?? 0, on: loop) {
            finish()
            finish = {}
            loop.stop()
        }
        defer { notice.close() }
        // SIGUSR1 and SIGUSR2, sent by mistake, would end the server without a message.
        let actions = [(SIGHUP, { reload() }), (SIGUSR1, {}), (SIGUSR2, {})]
        let signals = try actions.map { try SignalSource(on: loop, signal: $0, receive: $1) }
        defer { for signal in signals where !signal.isClosed { signal.close() } }
        let application: Application
        do {
            Allocator.startReturningMemory()
            application = try Application(configuration, pages: pages)
            application.showBuild(Version.labels)
            if configuration.cluster.isMember { try application.watchProgram(at: Self.programPath) }
            notice.announce = { application.announceStop() }
            reload = {
                application.reloadCertificate()
                application.reloadSecret()
                application.reloadIssuerKeys()
                application.reloadPushKeys()
            }
        } catch let problem as StartProblem {
            abandon(loop)
            guard !problem.wasStopped else { return }
            throw CommandFailure(problem.isConfiguration ? .misused : .failed, problem.description)
        }
        do {
            finish = try ready(application, loop)
        } catch {
            abandon(loop)
            application.stop()
            throw error
        }
        let leaving = configuration.cluster.isMember ? Leaving(application, on: loop) : nil
        loop.run()
        leaving?.close()
        application.stop()
        if let failure = leaving?.failure { throw failure }
    }

    /// The file from which the next start takes the program: a link in the command stays one.
    private static var programPath: String {
        let word = CommandLine.arguments.first ?? ""
        guard word.contains("/") else { return FileManager.default.programFile }
        return URL(filePath: word).path
    }

    /// A loop must run before it is released.
    private static func abandon(_ loop: Loop) {
        loop.stop()
        loop.run()
    }
}

extension FileManager {
    /// The file of this process's program.
    fileprivate var programFile: String {
        (try? destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "/proc/self/exe"
    }
}
