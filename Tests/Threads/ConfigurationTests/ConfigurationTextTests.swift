import Foundation
import JSON
import Testing

@testable import Configuration

/// The configuration file as people write it, and the place of each mistake in it.
struct ConfigurationTextTests {
    private func layers(_ text: String) -> ConfigurationLayers {
        ConfigurationLayers(file: .init(name: "w.json", bytes: Array(text.utf8)))
    }

    private func problem(_ text: String) throws -> ConfigurationProblem? {
        do throws(ConfigurationProblem) {
            _ = try layers(text).configuration()
            return nil
        } catch {
            return error
        }
    }

    /// The text from the place of a mistake on.
    private func rest(_ text: String) throws -> String {
        let character = try #require(try problem(text)?.character, "\(text)")
        return String(text.dropFirst(character - 1))
    }

    @Test func `comments and last commas may stand, and are nothing else where they stand in a text`() throws {
        let text = """
            // The first server.
            {
              "data": "d", // its folder
              "origins": ["https://a.example", "https://b.example",],
              // "loops": 4,
              "tls-certificate": "/a,]}//b", "tls-key": "/c",
            }
            // "loops": 2
            """
        let configuration = try layers(text).configuration()
        #expect(configuration.data == "d" && configuration.loops == nil)
        #expect(configuration.tlsCertificate == "/a,]}//b")
        #expect(try JSONValue(parsing: ConfigurationText(Array(text.utf8)).json)["origins"]?.arrayValue?.count == 2)
        #expect(ConfigurationText(Array(text.utf8)).json.count == text.utf8.count)
        for wrong in ["{,}", "{\"loops\": 2,, \"data\": \"d\"}", "[,]", "{\"loops\": , }", "/ {}", "{ /* */ }"] {
            #expect(try problem(wrong) != nil, "\(wrong)")
        }
    }

    @Test func `a wrong value, an unknown key and a wrong text are shown at their place`() throws {
        #expect(try rest("{\n  \"data\": \"d\",\n  \"loops\": \"two\"\n}") == "\"two\"\n}")
        #expect(try rest("// ü\n{\"origins\": [\"loops\"], \"loops\": 99}") == "[\"loops\"], \"loops\": 99}")
        #expect(try rest("{\"data\": \"loops\", \"loop\": 2}") == "2}")
        #expect(try rest("{\"data\": \"a\\\"b: c\", \"loops\": 0}") == "0}")
        #expect(try rest("{\"loops\": 2 \"data\": \"d\"}") == "\"data\": \"d\"}")
    }

    @Test func `each setting refuses a value that is not one of its own, at its place, and says what it takes`() throws
    {
        var count = 0
        for setting in SettingTable.settings {
            for wrong in ["[[[7]]]", "-7.5", "{\"?\": 7}"] {
                let text = "{\n\"\(setting.key)\": \(wrong)}"
                let found = try #require(try problem(text), "\(text)")
                #expect(found.description.hasPrefix("w.json: '\(setting.key)'"), "\(found)")
                #expect(found.message.count > 12 && found.character == setting.key.count + 7, "\(found)")
                count += 1
            }
        }
        #expect(count >= 100)
    }

    @Test
    func `the example has every key in a comment, is a file as it stands, and one where all comments are taken away`()
        throws
    {
        let lines = SettingTable.commentedFile(columns: 120)
        #expect(lines.allSatisfy { $0.count <= 400 })
        let text = lines.joined(separator: "\n")
        #expect(try layers(text).given().isEmpty)
        let begun = lines.map { $0.hasPrefix("    // \"") ? $0.replacing("// \"", with: "\"", maxReplacements: 1) : $0 }
        let json = ConfigurationText(Array(begun.joined(separator: "\n").utf8)).json
        let object = try #require(try JSONValue(parsing: json).objectValue)
        #expect(object.members.map(\.name) == SettingTable.settings.map(\.key))
        #expect(object.members.map(\.value) == SettingTable.settings.map(\.example))
    }

    @Test func `each value that is in force has its place`() throws {
        var layers = layers("{\n  \"loops\": 2,\n  \"data\": \"d\", \"heartbeat\": 9000\n}")
        layers.environment = ["WATCHWISE_LOOPS": "3", "WATCHWISE_ORIGINS": "https://a.example,https://b.example"]
        layers.flags = ["heartbeat": ["8000"]]
        let given = try layers.given().map { "\($0.setting.key)=\($0.value.text) \($0.place)" }
        #expect(
            given == [
                "loops=3 WATCHWISE_LOOPS", "heartbeat=8000 --heartbeat",
                "origins=[\"https://a.example\",\"https://b.example\"] WATCHWISE_ORIGINS", "data=\"d\" w.json:3",
            ])
    }
}
