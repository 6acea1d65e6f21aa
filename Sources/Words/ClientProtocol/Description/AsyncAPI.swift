import JSON
package import Model

/// The AsyncAPI 3 document of the commands and events that go over `/v1/ws`, made from the tables of both.
///
/// - Confinement: any
package enum AsyncAPI {
    /// The document, the same for everybody.
    package static let bytes = JSONValue.object(document).bytes

    private static let channel: JSONValue = ["$ref": "#/channels/session"]

    private static var document: JSONObject {
        let events = EventName.allCases.map(\.rawValue)
        var messages = JSONObject()
        var operations = JSONObject()
        for type in CommandTable.types {
            let name = type.name
            messages["command.\(name)"] = message(command(type), "The command \(name).")
            messages["reply.\(name)"] = message(reply(to: type.form), "The reply to the command \(name).")
            operations["command.\(name)"] = [
                "action": "receive", "channel": channel, "messages": [reference("command.\(name)")],
                "reply": ["channel": channel, "messages": [reference("reply.\(name)")]],
            ]
        }
        for name in EventName.allCases {
            messages["event.\(name.rawValue)"] = message(
                event(name), name.isDurable ? "An event of the log." : "An event outside of the log.")
            operations["event.\(name.rawValue)"] = [
                "action": "send", "channel": channel, "messages": [reference("event.\(name.rawValue)")],
            ]
        }
        let names =
            CommandTable.types.flatMap { ["command.\($0.name)", "reply.\($0.name)"] } + events.map { "event.\($0)" }
        return [
            "asyncapi": "3.0.0",
            "info": [
                "title": "WatchWise", "version": "1",
                "description": """
                One JSON object per text message of a WebSocket; see also the OpenAPI document. Answers and events have no members but
                those named here; a later version may add some, which a client ignores.
                """,
                "license": ["name": "Apache License 2.0", "url": "https://www.apache.org/licenses/LICENSE-2.0"],
            ],
            "servers": [
                "here": ["host": "localhost:8080", "protocol": "ws", "description": "A server on this machine."]
            ],
            "defaultContentType": "application/json",
            "channels": [
                "session": [
                    "address": "/v1/ws", "description": "A session, of the subprotocol watchwise.v1.",
                    "messages": .object(
                        JSONObject(
                            distinct: names.map { ($0, ["$ref": .string("#/components/messages/\($0)")]) })),
                ]
            ],
            "operations": .object(operations), "components": ["messages": .object(messages)],
        ]
    }

    private static func reference(_ message: String) -> JSONValue {
        ["$ref": .string("#/channels/session/messages/\(message)")]
    }

    private static func message(_ form: ValueForm, _ summary: String) -> JSONValue {
        ["summary": .string(summary), "payload": .object(form.schema)]
    }

    // MARK: Forms

    /// A command as a whole.
    package static func command(_ type: any Command.Type) -> ValueForm {
        let head: [ValueForm.Member] = [
            .mayBeNull(
                "id", .either([.text(0...Int.max), .fraction]), "The reply bears it; without it there is none."),
            .need("type", .words([type.name])),
        ]
        // A field that is null counts as absent.
        let forms = type.form.fields.map { fields in
            ValueForm.object(
                head + fields.map { $0.isRequired || $0.form.isNull ? $0 : .mayBeNull($0.name, $0.form, $0.meaning) },
                isOpen: true)
        }
        return forms.count == 1 ? forms[0] : .either(forms)
    }

    /// An event as a whole.
    package static func event(_ name: EventName) -> ValueForm {
        .object([.need("type", .words([name.rawValue]))] + EventForms.members(of: name))
    }

    private static func reply(to form: CommandForm) -> ValueForm {
        .either([
            .object([.need("re", .requestID), .need("ok", form.answer), warnings]),
            .object([.need("re", .requestID), .need("error", error), warnings]),
        ])
    }

    /// Beside the outcome of a command.
    package static let warnings = ValueForm.Member.may(
        "warnings", .list(.sentence, 1...Int.max), "Fields that the command does not have, and that were ignored.")

    private static let error = ValueForm.object(
        [
            .need("code", .words(ErrorCode.allCases.map(\.rawValue))),
            .need("class", .words(ErrorClass.allCases.map(\.rawValue))), .need("message", .sentence),
            .may("field", .sentence), .may("retryAfterMs", .count),
            .may("version", .count, "In a conflict: what is there."),
            .may("data", .either([.data, .null]), "In a conflict: what is there."),
        ])
}
