package import Configuration
import PersonalData

/// The files that lie beside a copy of the database, for `watchwise backup`.
///
/// - Confinement: any; blocks on the disk
package enum BackupFiles {
    /// Writes the files with secrets of a folder beside a copy of its database.
    ///
    /// - Throws: ``StartProblem``.
    package static func writeSecrets(of folder: String, besides file: String) throws(StartProblem) {
        do {
            try BackupSecrets(of: folder, SecretFiles.names).write(besides: file)
        } catch {
            throw StartProblem(isConfiguration: false, "cannot write the secrets of \(folder) beside \(file): \(error)")
        }
    }

    /// Writes the ledger of erasures beside a copy of the database.
    ///
    /// - Returns: its path; nil when nobody was erased.
    /// - Throws: ``StartProblem``.
    package static func writeLedger(besides file: String) throws(StartProblem) -> String? {
        do {
            return try BackupFile(file).writeLedger()
        } catch {
            throw StartProblem(isConfiguration: false, "cannot write the ledger of erasures beside \(file): \(error)")
        }
    }
}
