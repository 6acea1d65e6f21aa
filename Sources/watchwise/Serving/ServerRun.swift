import Configuration
import EventLoop
import Foundation
import Server

/// Runs a server until a signal stops it.
enum ServerRun {
    /// Starts, calls `ready`, waits for SIGTERM or SIGINT, stops. SIGHUP reloads the TLS certificate and the keys of
    /// issuers; SIGUSR1 and SIGUSR2 do nothing.
    ///
    /// A standby that takes its primary's place, or needs a new copy of it, is stopped and started again.
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
        while let reason = try runOnce(configuration, pages: pages, ready: ready) {
            guard configuration.cluster.standbyOf != nil else {
                throw CommandFailure(.incomplete, "start this node again, so that it joins as a new one: \(reason)")
            }
        }
    }

    /// - Returns: why it must start again; nil when a signal has stopped it.
    private static func runOnce(
        _ configuration: ServerConfiguration, pages: Application.PagesMaker?,
        ready: (Application, Loop) throws -> () -> Void
    ) throws -> String? {
        let loop = try Loop()
        var finish: () -> Void = {}
        // Before anything else, so that a signal during the start stops the server, too.
        var reload: () -> Void = {}
        let hangUp = try SignalSource(on: loop, signal: SIGHUP) { reload() }
        let signals = try [SIGTERM, SIGINT].map { signal in
            try SignalSource(on: loop, signal: signal) {
                finish()
                finish = {}
                loop.stop()
            }
        }
        // Sent by mistake, or by a tool that asks all processes for their state, these would end the server without a
        // message.
        let ignored = try [SIGUSR1, SIGUSR2].map { try SignalSource(on: loop, signal: $0) {} }
        defer {
            for signal in signals + ignored + [hangUp] where !signal.isClosed { signal.close() }
        }
        let application: Application
        do {
            ProcessMemory.keepLargeApart()
            application = try Application(configuration, pages: pages)
            reload = {
                application.reloadCertificate()
                application.reloadIssuerKeys()
                application.reloadPushKeys()
            }
        } catch let problem as StartProblem {
            abandon(loop)
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
        return leaving?.reason
    }

    /// A loop must run before it is released.
    private static func abandon(_ loop: Loop) {
        loop.stop()
        loop.run()
    }
}
