import ArgumentParser
import Configuration

/// `watchwise cluster`
struct ClusterCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cluster",
        abstract: "Make a cluster of several nodes, and look after it.",
        discussion: """
            The nodes share one journal, NATS JetStream; each has the whole database. deploy/README.md tells how three \
            machines are set up. The commands read --journal and the settings beside it as 'watchwise serve' does: from \
            options, variables and the configuration file.

            EXAMPLES
              watchwise cluster nats-conf nats --server n1=10.0.0.1 --server n2=10.0.0.2 --server n3=10.0.0.3
              watchwise cluster init --data /var/lib/watchwise --journal nats://10.0.0.1,nats://10.0.0.2,nats://10.0.0.3
              watchwise cluster status
              watchwise cluster check --config /etc/watchwise.json
              watchwise cluster verify
              watchwise cluster step-down
              watchwise cluster upgrade --nodes 3
              watchwise cluster reseed --from /var/lib/watchwise --journal nats://10.0.0.1,nats://10.0.0.2,nats://10.0.0.3
            """,
        subcommands: [
            ClusterNATSConf.self, ClusterInit.self, ClusterStatus.self, ClusterCheck.self, ClusterVerify.self,
            ClusterStepDown.self,
            ClusterUpgrade.self, ClusterReseed.self,
        ],
        defaultSubcommand: ClusterStatus.self
    )
}

/// The settings of the journal, from options, variables and the configuration file.
struct JournalSources: ParsableArguments {
    @Option(help: .value("file", "Configuration file. (variable: WATCHWISE_CONFIG)"))
    var config: String?
    @OptionGroup(title: "The journal") var journal: GroupOptions<JournalSettings>

    /// The configuration of a server with these settings.
    func configuration(data: String? = nil) throws -> ServerConfiguration {
        var flags = journal.texts
        if let data { flags["data"] = [data] }
        return try ConfigurationSources.read(flags: flags, file: config)
    }

    /// The configuration of a node.
    ///
    /// - Throws: `CommandFailure` when it names no journal, and what `configuration(data:)` throws.
    func nodeConfiguration(data: String? = nil) throws -> ServerConfiguration {
        let configuration = try configuration(data: data)
        guard configuration.cluster.isMember else {
            throw CommandFailure(.misused, "--journal is required: the addresses of the journal's servers")
        }
        return configuration
    }
}
