// The TLS session of the last connection, offered to the server with the next one: it saves the certificates of both, half
// of a handshake's bytes. libmosquitto has no word for that; the context that it makes all connections of an object with
// has. libssl is loaded already, because libmosquitto needs it.
#pragma once

/// From here on sessions are kept and offered by the context of this connection (an `SSL *`; NULL: there is none). They
/// go with the context, and so are offered to no other host, under no other certificates and no other checks.
void tls_session_keep(void *ssl);
