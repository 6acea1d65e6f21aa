import Cluster
import Journal

/// Watches the nodes of an upgrade: each leaves, comes back with the new program, and has the new tables.
///
/// - Confinement: any
struct UpgradeWatch: Sendable {
    private struct Course: Sendable {
        let name: String
        /// Of the process that is to end; nil when the new program runs already.
        let run: UInt64?
        var hasLeft: Bool
        var backAt: Int64?
        var upgradedAt: Int64?
        /// It came back with a program that is too old.
        var isOlder = false
    }

    private let plan: UpgradePlan
    private var courses: [Course]
    private var leader: String?
    private var leadsAt: Int64?

    init(_ plan: UpgradePlan) {
        self.plan = plan
        courses = plan.nodes.map { node in
            let isNew = max(node.newest ?? 0, node.schema) >= plan.to
            return Course(name: node.name, run: isNew ? nil : node.run, hasLeft: isNew)
        }
    }

    /// Whether the order needs to be repeated no more.
    var allHaveLeft: Bool { courses.allSatisfy(\.hasLeft) }

    /// Whether all nodes have the new tables, and one leads.
    var isDone: Bool { leadsAt != nil && courses.allSatisfy { $0.upgradedAt != nil } }

    /// Looks at what is heard.
    ///
    /// - Returns: sentences about what is new.
    mutating func look(_ ears: UpgradeEars, at now: Int64, since began: Int64) -> [String] {
        var sentences: [String] = []
        for index in courses.indices { sentences += look(&courses[index], ears, now, since: began) }
        guard leadsAt == nil else { return sentences }
        let leading = plan.nodes.lazy.compactMap { ears.present($0.name, at: now) }.first {
            $0.beat.leads && $0.beat.schema >= plan.to
        }
        if let leading {
            leader = leading.beat.node
            leadsAt = now - began
            sentences.append("\(leading.beat.node) leads, in term \(leading.beat.term): writes go on")
        }
        return sentences
    }

    private func look(_ course: inout Course, _ ears: UpgradeEars, _ now: Int64, since began: Int64) -> [String] {
        var sentences: [String] = []
        let present = ears.present(course.name, at: now)
        if let run = course.run, present?.message.run == run {
            // It was only silent.
            course.hasLeft = false
        } else if !course.hasLeft {
            course.hasLeft = true
            sentences.append("\(course.name) has ended")
        }
        guard course.hasLeft, let present else { return sentences }
        let (program, schema) = (ears.program(of: course.name), present.beat.schema)
        if course.backAt == nil, max(program?.newestSchema ?? 0, schema) >= plan.to {
            course.backAt = now - began
            course.isOlder = false
            sentences.append("\(course.name) is back with \(present.beat.program), tables of schema \(schema)")
        } else if course.backAt == nil, let program, program.newestSchema < plan.to, !course.isOlder {
            course.isOlder = true
            sentences.append("\(course.name) is back with the old program")
        }
        if course.backAt != nil, course.upgradedAt == nil, schema >= plan.to {
            course.upgradedAt = now - began
            sentences.append("\(course.name) has the tables of schema \(schema), entry \(present.beat.applied)")
        }
        return sentences
    }

    /// The result, when it is done or time is over.
    func report(_ ears: UpgradeEars, at now: Int64, since began: Int64) -> UpgradeReport {
        let isBegun = ears.heard.values.contains { $0.beat.schema >= plan.to }
        var problems = courses.compactMap { course -> String? in
            if course.upgradedAt != nil { return nil }
            if !course.hasLeft {
                return "\(course.name) did not end: restart it there, with the new program"
            }
            if course.isOlder {
                return "\(course.name) came back with the old program: install the new one there, and restart it"
            }
            guard course.backAt != nil else {
                return
                    "\(course.name) did not come back with the new program: see its log, and start it there; it reads on "
                    + "to the upgrade by itself"
            }
            return "\(course.name) is back, and has not upgraded its tables yet: see its log"
        }
        if courses.allSatisfy({ $0.upgradedAt != nil }), leadsAt == nil { problems.append("no node leads yet") }
        if !problems.isEmpty {
            problems.append(
                isBegun
                    ? "the tables are upgraded on at least one node: there is no way back to the old program but a backup"
                    : "no tables are upgraded yet: with the old program on all nodes again everything is as before")
        }
        return UpgradeReport(
            milliseconds: now - began, writesMilliseconds: leadsAt, leader: leader,
            nodes: courses.map {
                UpgradeReport.Node(name: $0.name, backMilliseconds: $0.backAt, upgradedMilliseconds: $0.upgradedAt)
            }, problems: problems)
    }
}

/// The result of an upgrade.
///
/// - Confinement: any
package struct UpgradeReport: Sendable, Hashable {
    /// - Confinement: any
    package struct Node: Sendable, Hashable {
        package let name: String
        /// From the order until it was heard with the new program; nil when it was not.
        package let backMilliseconds: Int64?
        /// From the order until it had the new tables; nil when it has not.
        package let upgradedMilliseconds: Int64?
    }

    package let milliseconds: Int64
    /// From the order until a node led with the new tables; nil when none does.
    package let writesMilliseconds: Int64?
    package let leader: String?
    package let nodes: [Node]
    /// Sentences about the work that is not done, with what to do.
    package let problems: [String]
}
