import Glibc

/// The program. Only three lines, because closures made here would be confined to the main actor.
@main
enum Seal {
    static func main() {
        exit(Program.run(Array(CommandLine.arguments.dropFirst())))
    }
}
