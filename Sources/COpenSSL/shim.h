// OpenSSL; nothing here but what Swift cannot import by itself, each with its reason.
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

// The options are written as SSL_OP_BIT(n), a macro with a parameter, which Swift does not import.
static const uint64_t watchwise_SSL_OP_CIPHER_SERVER_PREFERENCE = SSL_OP_CIPHER_SERVER_PREFERENCE;
static const uint64_t watchwise_SSL_OP_NO_COMPRESSION = SSL_OP_NO_COMPRESSION;
static const uint64_t watchwise_SSL_OP_NO_RENEGOTIATION = SSL_OP_NO_RENEGOTIATION;
static const uint64_t watchwise_SSL_OP_PRIORITIZE_CHACHA = SSL_OP_PRIORITIZE_CHACHA;

// Composed of macros in parentheses, a structure Swift does not import.
static const int watchwise_EVP_PKEY_PUBLIC_KEY = EVP_PKEY_PUBLIC_KEY;
