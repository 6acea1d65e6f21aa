import ClientProtocol
package import Execution
package import JSON
import Model
import Push
import Store

/// `DELETE /v1/push/devices/ID`: the device gets no more pushes until it registers again.
///
/// - Confinement: any
package struct DeletePushDevice: WriteUseCase {
    let id: Int64

    package init(id: Int64) { self.id = id }

    package func perform(in context: WriteContext) throws -> JSONObject {
        guard try context.transaction.pushDevices.delete(id) else {
            throw Refusal(.notFound, "there is no device \(id)", field: "id")
        }
        return ["id": .string(String(id)), "seq": .integer(try context.transaction.appendSilently().value)]
    }
}
