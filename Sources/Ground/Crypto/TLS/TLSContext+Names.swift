import COpenSSL

extension TLSContext {
    /// Whether a server's certificate is made out to a host name, also by a wildcard (RFC 9525); false for a client.
    package func isMadeOut(to host: String) -> Bool {
        guard let certificate = unsafe SSL_CTX_get0_certificate(handle) else { return false }
        return unsafe X509_check_host(certificate, host, host.utf8.count, 0, nil) == 1
    }
}
