package import JSON
package import Model
import Store

/// Makes a user known who connects for the first time, and notes the language of his device.
///
/// - Confinement: any
package struct RegisterUser: WriteUseCase {
    let name: UserID
    let deviceLanguage: LanguageTag?

    package init(_ name: UserID, deviceLanguage: LanguageTag?) {
        self.name = name
        self.deviceLanguage = deviceLanguage
    }

    package func perform(in context: WriteContext, reply: inout JSONWriter) throws {
        let id = try context.number(of: name)
        if let deviceLanguage { try context.transaction.users.setDeviceLanguage(deviceLanguage, of: id) }
    }
}
