package import Execution
package import Model
import Push
import Store

/// Notes that a registered device said `hello`, so that it does not go as unused; and its language, if it names one.
///
/// - Confinement: any
package struct NoteDeviceUse: WriteUseCase {
    let user: StreamID
    let device: String
    let language: LanguageTag?

    package init(_ device: String, of user: StreamID, language: LanguageTag?) {
        self.user = user
        self.device = device
        self.language = language
    }

    package func perform(in context: WriteContext) throws -> AnswerFact {
        try context.transaction.pushDevices.setUsed(device, of: user, language: language, at: context.now)
        return .none
    }
}
