import Glibc

/// The keyboard of the terminal that a program was started in, key by key (termios(3), tty_ioctl(4)).
/// - Confinement: any
package struct TerminalKeys {
    private let before: termios

    /// Gives the program each key at once and unseen; Ctrl-C and Ctrl-Z stay signals. Nil where standard input is no terminal.
    package init?() {
        var settings = termios()
        guard unsafe tcgetattr(STDIN_FILENO, &settings) == 0 else { return nil }
        before = settings
        settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
        unsafe tcsetattr(STDIN_FILENO, TCSANOW, &settings)
    }

    /// Gives the terminal back as it was.
    package func end() {
        var settings = before
        unsafe tcsetattr(STDIN_FILENO, TCSANOW, &settings)
    }

    /// Whether this program may read from its terminal: the kernel stops a job in the background that does.
    package static var isInForeground: Bool { tcgetpgrp(STDIN_FILENO) == getpgrp() }

    /// The width of the terminal of standard output; 80 where it is not known.
    package static var columns: Int {
        var size = winsize()
        unsafe _ = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size)
        return size.ws_col > 0 ? Int(size.ws_col) : 80
    }
}
