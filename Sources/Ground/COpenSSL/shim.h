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

// A macro for text becomes a Swift String, whose C pointer dies with the call; OSSL_PARAM keeps the pointers it is given.
static const char *const watchwise_OSSL_MAC_PARAM_DIGEST = OSSL_MAC_PARAM_DIGEST;
static const char *const watchwise_OSSL_MAC_PARAM_KEY = OSSL_MAC_PARAM_KEY;
static const char *const watchwise_OSSL_PKEY_PARAM_RSA_E = OSSL_PKEY_PARAM_RSA_E;
static const char *const watchwise_OSSL_PKEY_PARAM_RSA_N = OSSL_PKEY_PARAM_RSA_N;
