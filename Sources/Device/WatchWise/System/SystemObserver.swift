#if canImport(Darwin)
    import Dispatch
    import Foundation
#endif
#if canImport(UIKit) && !os(watchOS)
    import UIKit
#endif
#if canImport(Network)
    import Network
#endif

/// Hears from the system of the application, the network and the store. Linux says nothing: there an application that wants to calls
/// ``WatchWise/WatchWise/focus(_:)`` and ``WatchWise/WatchWise/network(isOnline:)``, and a device looks at its store each second.
///
/// The parts for Apple platforms are compiled with stand-ins for Apple's modules alone (`Tests/SwiftPackage/run --build`); tests on
/// Linux give a device the same news.
/// - Confinement: WatchWiseActor
@WatchWiseActor
final class SystemObserver {
    private let take: @Sendable @WatchWiseActor (SystemEvent) -> Void
    private var ends: [() -> Void] = []

    /// - Parameters:
    ///   - store: The path of the store; nil for one in memory.
    ///   - isApplication: Whether this process has a life of its own: one of an extension is not observed.
    ///   - take: Takes the news.
    init(
        store: String?, isApplication: Bool, take: @escaping @Sendable @WatchWiseActor (SystemEvent) -> Void
    ) {
        self.take = take
        if let store { observe(store) }
        if isApplication { observeApplication() }
        if isApplication { observeNetwork() }
    }

    /// Nothing comes any more.
    func end() {
        for end in ends { end() }
        ends = []
    }
}

#if canImport(Darwin)
    extension SystemObserver {
        /// Whether the system says when somebody writes to the store, so that nobody has to look each second.
        nonisolated static let seesWrites = true

        /// The log of the database grows with each transaction.
        private func observe(_ store: String) {
            let descriptor = open(store + "-wal", O_EVTONLY)
            guard descriptor >= 0 else { return }
            let source = DispatchSource.makeFileSystemObjectSource(
                fileDescriptor: descriptor, eventMask: [.write, .extend, .delete], queue: .global(qos: .utility))
            source.setEventHandler { [take] in Task { @WatchWiseActor in take(.written) } }
            source.setCancelHandler { close(descriptor) }
            source.activate()
            ends.append { source.cancel() }
        }
    }
#else
    extension SystemObserver {
        /// Whether the system says when somebody writes to the store, so that nobody has to look each second.
        nonisolated static let seesWrites = false

        private func observe(_ store: String) {}
    }
#endif

#if canImport(UIKit) && !os(watchOS)
    extension SystemObserver {
        private func observeApplication() {
            let names: [(Notification.Name, SystemEvent)] = [
                (UIApplication.didBecomeActiveNotification, .active),
                (UIApplication.willResignActiveNotification, .inactive),
                (UIApplication.willEnterForegroundNotification, .resumed),
            ]
            for (name, event) in names {
                observe(name) { [take] in Task { @WatchWiseActor in take(event) } }
            }
            observe(UIApplication.didEnterBackgroundNotification) { [take] in Self.suspend(take) }
        }

        private func observe(_ name: Notification.Name, _ work: @escaping @Sendable () -> Void) {
            let center = NotificationCenter.default
            let observer = center.addObserver(forName: name, object: nil, queue: nil) { _ in work() }
            ends.append { center.removeObserver(observer) }
        }

        /// The system does not suspend the process before the lock is released.
        nonisolated private static func suspend(_ take: @escaping @Sendable @WatchWiseActor (SystemEvent) -> Void) {
            ProcessInfo.processInfo.performExpiringActivity(withReason: "WatchWise lets go of its store") { isExpired in
                guard !isExpired else { return }
                let released = DispatchSemaphore(value: 0)
                Task { @WatchWiseActor in
                    take(.suspending)
                    released.signal()
                }
                released.wait()
            }
        }
    }
#else
    extension SystemObserver {
        private func observeApplication() {}
    }
#endif

#if canImport(Network)
    extension SystemObserver {
        private func observeNetwork() {
            let monitor = NWPathMonitor()
            monitor.pathUpdateHandler = { [take] path in
                let event: SystemEvent = path.status == .satisfied ? .online : .offline
                Task { @WatchWiseActor in take(event) }
            }
            monitor.start(queue: .global(qos: .utility))
            ends.append { monitor.cancel() }
        }
    }
#else
    extension SystemObserver {
        private func observeNetwork() {}
    }
#endif
