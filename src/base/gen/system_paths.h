/* Written by scripts/catalog.py from catalog/; do not edit. */

#ifndef BASE_GEN_SYSTEM_PATHS_H
#define BASE_GEN_SYSTEM_PATHS_H
/* Initialisers of lists of strings, from catalog/system_paths.json. */

/* commands in a sandbox see it */
#define SYSTEM_PATHS_SANDBOX "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store", "/gnu/store", "/etc/alternatives", "/etc/crypto-policies", "/etc/fonts", "/etc/gitconfig", "/etc/java", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/localtime", "/etc/mime.types", "/etc/nsswitch.conf", "/etc/os-release", "/etc/pki/tls/certs", "/etc/profile", "/etc/protocols", "/etc/services", "/etc/ssl/certs", "/etc/ssl/openssl.cnf"

/* reading it is harmless to the permission rules */
#define SYSTEM_PATHS_PUBLIC "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix", "/proc", "/sys", "/snap", "/System", "/Library/Developer", "/run/current-system", "/etc/alternatives", "/etc/ca-certificates", "/etc/debian_version", "/etc/gai.conf", "/etc/host.conf", "/etc/hostname", "/etc/hosts", "/etc/issue", "/etc/java", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/localtime", "/etc/lsb-release", "/etc/magic", "/etc/mime.types", "/etc/nsswitch.conf", "/etc/os-release", "/etc/protocols", "/etc/redhat-release", "/etc/resolv.conf", "/etc/services", "/etc/shells", "/etc/ssl/certs", "/etc/ssl/openssl.cnf", "/etc/timezone"

#endif
