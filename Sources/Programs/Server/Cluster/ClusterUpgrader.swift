import Cluster
package import Configuration
import EventLoop
import Journal
import JournalLink
import Outbound
import Store

/// Exchanges the programs of all nodes for one with newer tables (`watchwise cluster upgrade`): looks whether that can be done,
/// orders it, and watches the nodes come back. It hears the nodes over the journal, so it asks none in particular.
///
/// - Confinement: the thread that made it
package final class ClusterUpgrader {
    /// A step of the upgrade, for the operator.
    ///
    /// - Confinement: any
    package struct Step: Sendable, Hashable {
        /// Since the order.
        package let milliseconds: Int64
        package let sentence: String
    }

    private static let connectMilliseconds: Int64 = 10_000
    /// A node looks once a second at the program that is installed, and sends what it knows twice.
    private static let listenMilliseconds: Int64 = 2000
    private static let patienceMilliseconds: Int64 = 8000
    private static let orderMilliseconds: Int64 = 100

    private let talk: JournalTalk
    private let keys: JournalKeys
    private var ears = UpgradeEars()

    /// Connects to the journal, and begins to listen.
    ///
    /// - Throws: ``StartProblem``.
    package init(_ configuration: ServerConfiguration) throws(StartProblem) {
        keys = try JournalKeys(ofFolder: configuration.data)
        talk = try JournalTalk(try JournalOptions(configuration.cluster, name: "watchwise cluster upgrade"))
        do throws(StartProblem) {
            try talk.connect(milliseconds: Self.connectMilliseconds)
        } catch {
            talk.close()
            throw error
        }
        // The nodes may have tables older than the seals, and those of the new program during the upgrade.
        let seal = JournalSeal(keys, schema: 0)
        talk.listen(to: "heartbeat", seal) { [unowned self] bytes in
            if let message = try? HeartbeatMessage(bytes) { ears.note(message, at: talk.loop.now) }
        }
        talk.listen(to: "program", seal) { [unowned self] bytes in
            if let message = try? ProgramMessage(bytes) { ears.note(message) }
        }
    }

    package func close() { talk.close() }

    // MARK: Before

    /// Looks whether all nodes can be upgraded.
    ///
    /// - Parameter nodes: how many there must be; nil for those that are heard.
    package func plan(nodes: Int?) -> UpgradePlan {
        talk.wait(milliseconds: Self.listenMilliseconds) { false }
        var plan = ears.plan(nodes: nodes, at: talk.loop.now)
        // A program that was installed just now is not known yet.
        talk.wait(milliseconds: Self.patienceMilliseconds) {
            plan = ears.plan(nodes: nodes, at: talk.loop.now)
            return plan.problems.isEmpty || plan.nodes.isEmpty
        }
        if plan.problems.isEmpty { plan.problems = askReadiness(of: plan) }
        return plan
    }

    /// Asks each node that gives its address whether it is ready; those that wait for the upgrade already are not.
    private func askReadiness(of plan: UpgradePlan) -> [String] {
        guard let client = try? OutboundClient(on: talk.loop, policy: .anywhere) else { return [] }
        defer { client.close() }
        var (problems, answers) = ([String](), 0)
        let asked = plan.nodes.filter { !$0.address.isEmpty && $0.newest ?? 0 <= $0.schema }
        for node in asked {
            let request = OutboundRequest(
                url: node.address + "/readyz", fields: [], connectMilliseconds: 2000, totalMilliseconds: 4000,
                answerBytesMax: 1000)
            client.send(request) { result in
                answers += 1
                switch result {
                case .success(let answer) where answer.status == 200: break
                case .success(let answer):
                    let text = String(decoding: answer.body.prefix(300), as: UTF8.self).split(separator: "\n").first
                    problems.append("\(node.name) is not ready: \(text ?? "status \(answer.status)")")
                case .failure(let failure):
                    problems.append("\(node.name) does not answer at \(node.address): \(failure)")
                }
            }
        }
        talk.wait(milliseconds: 6000) { answers == asked.count }
        return problems.sorted()
    }

    // MARK: The upgrade

    /// Orders the upgrade, and waits until all nodes of the plan have the new tables and one leads.
    ///
    /// - Parameter show: gets each step.
    package func run(_ plan: UpgradePlan, milliseconds: Int64, show: (Step) -> Void) -> UpgradeReport {
        let began = talk.loop.now
        var watch = UpgradeWatch(plan)
        let order = JournalSeal(keys, schema: plan.from).seal(
            signal: UpgradeMessage(schema: plan.to).bytes, to: "upgrade")
        var orderAt = began
        talk.wait(milliseconds: milliseconds) {
            let now = talk.loop.now
            if now >= orderAt, !watch.allHaveLeft {
                orderAt = now + Self.orderMilliseconds
                talk.client.publish(order, to: "upgrade")
            }
            for sentence in watch.look(ears, at: now, since: began) {
                show(Step(milliseconds: now - began, sentence: sentence))
            }
            return watch.isDone
        }
        return watch.report(ears, at: talk.loop.now, since: began)
    }
}

@available(*, unavailable)
extension ClusterUpgrader: Sendable {}
