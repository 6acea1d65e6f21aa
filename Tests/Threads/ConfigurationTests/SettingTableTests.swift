import Foundation
import JSON
import Model
import Testing
@testable import Configuration

/// The table of settings: every entry can be given in every way, and the pages show it.
struct SettingTableTests {
    @Test(arguments: SettingTable.settings.map(\.key))
    func `a setting arrives from an option, a variable and the file`(_ key: String) throws {
        let setting = try #require(SettingTable.setting(key))
        let texts = Self.texts(of: setting.example)
        let partners = settingPartners(key).map { (variable($0.key), $0.value) }
        let beside = ConfigurationLayers(environment: Dictionary(uniqueKeysWithValues: partners))

        var layers = beside
        layers.file = .init(name: "w.json", bytes: Array(JSONValue.object([key: setting.example]).text.utf8))
        let wanted = setting.shown(in: try layers.configuration())
        #expect(wanted != setting.shown(in: ServerConfiguration()), "the example of a setting is not its default")

        layers = beside
        layers.environment[setting.variable] = texts.joined(separator: ",")
        #expect(setting.shown(in: try layers.configuration()) == wanted)

        layers = beside
        layers.flags[key] = texts
        #expect(setting.shown(in: try layers.configuration()) == wanted)
    }

    /// The texts of options that say the same as a value of the file.
    private static func texts(of value: JSONValue) -> [String] {
        switch value {
        case .array(let values): values.contains { $0["kind"] != nil } ? [value.text] : values.flatMap(texts)
        case .object(let object) where object["issuer"] != nil:
            [object.members.map { "\($0.name)=\($0.value.stringValue ?? $0.value.text)" }.joined(separator: " ")]
        case .object(let object) where object["person"] != nil:
            [object.members.map { "\($0.name)=\($0.value.stringValue ?? "")" }.joined(separator: ",")]
        default: [value.stringValue ?? value.text]
        }
    }

    @Test func `keys, options and variables are words in small letters, each there once`() {
        let settings = SettingTable.settings
        for names in [settings.map(\.key), settings.compactMap(\.option)] {
            #expect(Set(names).count == names.count)
            #expect(names.filter { $0.wholeMatch(of: /[a-z]+(-[a-z]+)*/) == nil } == [])
        }
        #expect(Set(settings.map(\.variable)).count == settings.count)
        #expect(SettingTable.setting("debug-echo")?.variable == "WATCHWISE_DEBUG_ECHO")
        #expect(SettingTable.setting("rules")?.option == nil, "a table of rules does not fit into an option")
    }

    @Test(arguments: SettingTable.settings.map(\.key))
    func `a setting is explained in sentences`(_ key: String) throws {
        let setting = try #require(SettingTable.setting(key))
        #expect(setting.help.hasSuffix("."))
        #expect(setting.note.isEmpty || setting.note.hasSuffix("."))
        #expect(!setting.explanation.contains("\n") && !setting.explanation.contains("  "))
    }

    @Test(arguments: [
        ("heartbeat", "25000"), ("peer-memory", "32"), ("log-retention", "30d"), ("stop-timeout", "30s"),
        ("trusted-proxies", "127.0.0.0/8, ::1/128"), ("compression", "shared"), ("triggers", "none"),
    ])
    func `a default is shown as it is written`(_ key: String, _ text: String) {
        #expect(SettingTable.setting(key)?.standard == text)
    }

    @Test func `an operator who writes the defaults gets the defaults`() throws {
        for setting in SettingTable.settings {
            guard let standard = setting.standard, !["loops", "webhook-secret", "triggers"].contains(setting.key) else {
                continue
            }
            let texts = setting.isList ? standard.split(separator: ", ").map(String.init) : [standard]
            let configuration = try ConfigurationLayers(flags: [setting.key: texts]).configuration()
            #expect(setting.shown(in: configuration) == setting.shown(in: ServerConfiguration()), "\(setting.key)")
        }
    }

    @Test func `the example file has every key and is accepted`() throws {
        let lines = SettingTable.exampleFile(columns: 76)
        #expect(lines.allSatisfy { $0.count <= 76 })
        let bytes = Array(lines.joined(separator: "\n").utf8)
        _ = try ConfigurationLayers(file: .init(name: "w.json", bytes: bytes)).configuration()
        let names = try JSONValue(parsing: bytes).objectValue?.members.map(\.name)
        #expect(names == SettingTable.settings.map(\.key))
    }

    @Test func `a text of an option that the table does not have is a mistake of the program`() {
        let problem = #expect(throws: ConfigurationProblem.self) {
            try ConfigurationLayers(flags: ["lisen": ["127.0.0.1:1"]]).configuration()
        }
        #expect(problem?.description == "--lisen is not an option")
    }

    @Test func `programs get an object for each setting`() {
        let rows = SettingTable.json.arrayValue ?? []
        #expect(rows.compactMap { $0["key"]?.stringValue } == SettingTable.settings.map(\.key))
        let origins = rows.first { $0["key"] == "origins" }
        #expect(origins?["option"] == "--origin")
        #expect(origins?["repeated"] == true)
        #expect(origins?["variable"] == "WATCHWISE_ORIGINS")
        #expect(origins?["group"] == "Listening")
        #expect(origins?["default"] == .null)
    }

    @Test func `the page about running a server shows the table; print it again with 'watchwise settings --markdown'`()
        throws
    {
        let page = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../deploy/README.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        #expect(text.contains("\n\n" + SettingTable.markdown + "\n\n"))
    }
}
