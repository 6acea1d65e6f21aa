import JSON
import Model
import Services
import Store
import Triggers

/// What a new database is given: the film network's triggers.
///
/// - Confinement: store
enum FirstStart {
    /// Loads the triggers that ship with the server, once: a database that has had them keeps what it has.
    static func loadTriggers(into writer: Writer) throws {
        guard writer.head == .zero else { return }
        guard let rows = try JSONValue(parsing: PackageResources.film_network_json).arrayValue else {
            throw StoredValueProblem(place: "deploy/triggers/film-network.json")
        }
        let definitions = try rows.map { try TriggerDefinition(json: $0) }
        _ = try writer.commit([definitions]) { definitions, transaction in
            for definition in definitions {
                let position = try transaction.appendSilently()
                try transaction.triggers.put(definition.name, row: definition.json.text, at: position)
            }
        } refuse: { _ in
        }
    }
}
