import JSON
import Model
import Notifying
import Testing

struct StoredPreferencesTests {
    @Test func `the members of a row are those that a reading of its text gives`() throws {
        let chosen: JSONValue = ["timeZone": "Europe/Rome", "mute": ["topics": ["person:1": true]]]
        let preferences = StoredPreferences(chosen.text)
        #expect(preferences.zone == "Europe/Rome")
        let deciding = try #require(preferences.deciding)
        #expect(deciding.reason(against: try facts(topic: "person:1"), beginsDigest: false) { _ in true } == .muted)
        #expect(preferences.deciding === deciding, "the text is read once")
    }

    @Test(arguments: ["{}", #"{"timeZone":"Europe/Rome"}"#, "no JSON"])
    func `preferences that hold nothing back decide nothing`(text: String) {
        let preferences = StoredPreferences(text)
        #expect(preferences.deciding == nil)
        #expect(preferences.zone == (text.contains("Rome") ? "Europe/Rome" : "UTC"))
        #expect(preferences.text == text)
    }
}
