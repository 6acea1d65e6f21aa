import JSON
import Testing

@testable import Configuration

/// The settings of the copies that the server makes by itself.
struct BackupSettingsTests {
    private func configuration(_ flags: [String: [String]]) throws -> ServerConfiguration {
        try ConfigurationLayers(flags: flags).configuration()
    }

    @Test
    func `copies are kept for as long as their number and their distance say, and none are made without a folder`()
        throws
    {
        #expect(try configuration([:]).backups.copyMilliseconds == nil)
        let week = try configuration(["backup-to": ["/backup"]]).backups
        #expect(week.copyMilliseconds == 7 * 86_400_000 && week.verifies && !week.withSecrets)
        let day = try configuration(["backup-to": ["/backup"], "backup-every": ["1h"], "backup-keep": ["24"]]).backups
        #expect(day.copyMilliseconds == 86_400_000)
    }

    @Test func `copies lie outside of the server's folder, and not closer together than ten seconds`() throws {
        for inside in ["d", "d/copies", "/srv/w/copies"] {
            let data = inside.hasPrefix("/") ? "/srv/w" : "d"
            #expect(throws: ConfigurationProblem.self, "\(inside)") {
                try configuration(["data": [data], "backup-to": [inside]])
            }
        }
        _ = try configuration(["data": ["/srv/w"], "backup-to": ["/srv/w2"]])
        #expect(throws: ConfigurationProblem.self) { try configuration(["backup-every": ["9s"]]) }
    }
}

extension SettingTrial {
    static let ofBackups = [
        plain("backup-to", "a", "b", "c") { $0.backups.folder ?? "" },
        SettingTrial(
            key: "backup-every", file: #"{"backup-every": "10s"}"#, variable: "1h", flag: ["1d"],
            values: ["10000", "3600000", "86400000"]
        ) { "\($0.backups.everyMilliseconds)" },
        SettingTrial(
            key: "backup-keep", file: #"{"backup-keep": 1}"#, variable: "2", flag: ["3"], values: ["1", "2", "3"]
        ) { "\($0.backups.keep)" },
        SettingTrial(
            key: "backup-verify", file: #"{"backup-verify": false}"#, variable: "true", flag: ["false"],
            values: ["false", "true", "false"]
        ) { "\($0.backups.verifies)" },
        SettingTrial(
            key: "backup-secrets", file: #"{"backup-secrets": false}"#, variable: "false", flag: ["true"],
            values: ["false", "false", "true"]
        ) { "\($0.backups.withSecrets)" },
        SettingTrial(
            key: "migrate-without-copy", file: #"{"migrate-without-copy": false}"#, variable: "false", flag: ["true"],
            values: ["false", "false", "true"]
        ) { "\($0.backups.migratesWithoutCopy)" },
    ]
}
