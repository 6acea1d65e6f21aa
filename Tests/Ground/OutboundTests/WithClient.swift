import EventLoop
import Outbound
import Testing

/// Runs a client on a loop of this thread until `finish` is called, or some seconds have passed.
func withClient(
    _ policy: AddressPolicy,
    authorities: String? = nil,
    connections: OutboundClient.Connections = .asNeeded,
    secondsMax: Int64 = 10,
    _ body: (OutboundClient, _ finish: @escaping () -> Void) throws -> Void
) throws {
    let loop = try Loop()
    let client = try OutboundClient(on: loop, policy: policy, authorities: authorities, connections: connections)
    let finish = { [unowned loop] in
        client.close()
        loop.stop()
    }
    let watchdog = LoopTimer(on: loop) {
        Issue.record("no answer within \(secondsMax) seconds")
        finish()
    }
    watchdog.start(afterMilliseconds: secondsMax * 1000)
    try body(client, finish)
    loop.run()
    withExtendedLifetime(watchdog) {}
}
