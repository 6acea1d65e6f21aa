package import Execution
package import Model
import Notifying
import Store

/// Registers a user who connects for the first time, and notes the language of the device.
///
/// - Confinement: any
package struct RegisterUser: WriteUseCase {
    let name: UserID
    let deviceLanguage: LanguageTag?

    package init(_ name: UserID, deviceLanguage: LanguageTag?) {
        self.name = name
        self.deviceLanguage = deviceLanguage
    }

    package func perform(in context: WriteContext) throws -> AnswerFact {
        if try context.transaction.erasures.isPseudonym(name) { throw ErasedNames.refusal }
        var notifier = Notifier(in: context)
        let id = try notifier.inbox(of: name)
        if let deviceLanguage { try context.transaction.users.setDeviceLanguage(deviceLanguage, of: id) }
        return .none
    }
}
