package import ClientProtocol
package import Execution
package import JSON
import Model
import Push
import Store

/// `device` with `remove`: the device gets no more pushes. Repeating it changes nothing.
///
/// - Confinement: any
package struct RemoveDevice: WriteUseCase {
    let device: String

    package init(_ device: String) { self.device = device }

    package func perform(in context: WriteContext) throws -> JSONObject {
        try context.transaction.pushDevices.delete(device, of: context.user().id)
        return ["device": .string(device)]
    }
}

extension DeviceCommand {
    /// The use case of the command.
    ///
    /// - Parameters:
    ///   - device: of the session.
    ///   - offer: the push services that the server uses.
    /// - Throws: `bad-request`, naming the member at fault.
    package func useCase(of device: SessionDevice, _ offer: PushOffer) throws(Refusal) -> any WriteUseCase {
        switch action {
        case .register(let registration): try RegisterDevice(registration, of: device, offer)
        case .remove(let name): RemoveDevice(name ?? device.name)
        }
    }
}
