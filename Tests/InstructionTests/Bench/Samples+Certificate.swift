extension Samples {
    /// A certificate that nobody trusts; a process under valgrind cannot start `openssl` to make one.
    static let certificate = """
        -----BEGIN CERTIFICATE-----
        MIIBfzCCASWgAwIBAgIUNsLv8da0ZELhiVtCg1gGBB0nG7EwCgYIKoZIzj0EAwIw
        FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyNDE5MDMxMloYDzIxMjYxMDMx
        MTkwMzEyWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
        PQMBBwNCAASV+fusk9qmp8/RFO1QXUice/tDdMpsbTSGALnV9LGQHXF89WRU09le
        5pgxX9l1Q1Zti0Bi5xUi9F/cg2Py258Io1MwUTAdBgNVHQ4EFgQUOwJ0O1HK/Hvp
        IRCOemoj6HRRTLUwHwYDVR0jBBgwFoAUOwJ0O1HK/HvpIRCOemoj6HRRTLUwDwYD
        VR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiEApGgbYp5Kz13BXHs+5J9K
        KJQlY+GON5K0eGM1kbSY8mwCIDipJOn0uziCu8AHQtfsHR+/npUpfWxZREfhohFX
        lws/
        -----END CERTIFICATE-----

        """

    /// Its key.
    static let certificateKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgurVuWUQ2fUt+zT8h
        lRpf0/tJH2Ibx8P/Yxf9wGZD5jChRANCAASV+fusk9qmp8/RFO1QXUice/tDdMps
        bTSGALnV9LGQHXF89WRU09le5pgxX9l1Q1Zti0Bi5xUi9F/cg2Py258I
        -----END PRIVATE KEY-----

        """
}
