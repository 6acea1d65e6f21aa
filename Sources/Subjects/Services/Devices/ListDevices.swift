package import ClientProtocol
package import Execution
package import JSON
import Model
import Push
import Store

/// `devices`: the caller's devices that are pushed. It shows no target and no key.
///
/// - Confinement: any
package struct ListDevices: ReadUseCase {
    package init() {}

    package func perform(in context: ReadContext) throws -> JSONObject {
        let devices = try context.transaction.pushDevices.all(of: context.user().id)
        return ["devices": .array(devices.map { .object($0.json) })]
    }
}

extension DevicesCommand: AnsweredCommand {
    package var work: CommandWork { .read(ListDevices()) }
}

extension PushDeviceEntry {
    /// The device as its owner and operators see it.
    var json: JSONObject {
        var object: JSONObject = [
            "device": .string(device), "platform": .string(registration.platform.rawValue),
            "at": .string(registered.text),
        ]
        object["lastPush"] = succeeded.map { .string($0.text) }
        object["problem"] = problem.map { .string($0) }
        return object
    }
}
