#pragma once
#include <microhttpd.h>
#include <stdbool.h>
#include <stdint.h>
#include <strings.h>

/* Functions that Swift cannot call because they are variadic, and enumerations of the library, which Swift sees as one
   type with one version of the library's header and as another with the next: they stay on this side. */

/* The callbacks; `context` is passed to each. */
struct homeward_http_calls {
    void *context;
    /* With the head of a request (`*place` is NULL), with each part of its body, and at its end (`*size` is 0).
       False: the connection is closed. */
    bool (*request)(
        void *context, struct MHD_Connection *connection, const char *path, const char *method,
        const char *data, size_t *size, void **place);
    void (*completed)(void *context, struct MHD_Connection *connection, void **place);
    void (*connection)(void *context, struct MHD_Connection *connection, bool is_new, void **place);
};

static inline enum MHD_Result homeward_http_requested(
    void *calls, struct MHD_Connection *connection, const char *path, const char *method, const char *version,
    const char *data, size_t *size, void **place)
{
    (void)version;
    const struct homeward_http_calls *known = (const struct homeward_http_calls *)calls;
    return known->request(known->context, connection, path, method, data, size, place) ? MHD_YES : MHD_NO;
}

static inline void homeward_http_completed(
    void *calls, struct MHD_Connection *connection, void **place, enum MHD_RequestTerminationCode end)
{
    (void)end;
    const struct homeward_http_calls *known = (const struct homeward_http_calls *)calls;
    known->completed(known->context, connection, place);
}

static inline void homeward_http_connected(
    void *calls, struct MHD_Connection *connection, void **place, enum MHD_ConnectionNotificationCode code)
{
    const struct homeward_http_calls *known = (const struct homeward_http_calls *)calls;
    known->connection(known->context, connection, code == MHD_CONNECTION_NOTIFY_STARTED, place);
}

/* The server runs in nobody's thread but the caller's, whose own epoll set watches the library's. `memory`: bytes for
   one connection; `seconds` of silence end one. `calls` has to live as long as the server. */
static inline struct MHD_Daemon *homeward_http_start(
    int listener, unsigned connections, size_t memory, unsigned seconds, const struct homeward_http_calls *calls)
{
    void *context = (void *)(uintptr_t)calls;
    return MHD_start_daemon(
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_SUPPRESS_DATE_NO_CLOCK, 0, (void *)0, (void *)0,
        homeward_http_requested, context, MHD_OPTION_LISTEN_SOCKET, listener, MHD_OPTION_CONNECTION_LIMIT,
        connections, MHD_OPTION_CONNECTION_MEMORY_LIMIT, memory, MHD_OPTION_CONNECTION_TIMEOUT, seconds,
        MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_NOTIFY_COMPLETED, homeward_http_completed, context,
        MHD_OPTION_NOTIFY_CONNECTION, homeward_http_connected, context, MHD_OPTION_END);
}

/* The descriptor to watch; below 0: there is none. */
static inline int homeward_http_descriptor(struct MHD_Daemon *server)
{
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(server, MHD_DAEMON_INFO_EPOLL_FD);
    return info ? info->epoll_fd : -1;
}

/* Does what there is to do. Milliseconds until it has to be called again though nothing happens; below 0: never. */
static inline int64_t homeward_http_run(struct MHD_Daemon *server)
{
    MHD_UNSIGNED_LONG_LONG milliseconds = 0;
    MHD_run(server);
    /* Ended connections are cleared away at the end of a run, and only the beginning of one looks whether there is
       room for newcomers again. It does not count that as something to do. */
    MHD_run(server);
    if (MHD_get_timeout(server, &milliseconds) != MHD_YES) return -1;
    return milliseconds > INT32_MAX ? INT32_MAX : (int64_t)milliseconds;
}

/* The socket of a connection; below 0: there is none. */
static inline int homeward_http_socket(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info
        = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

/* The pointer kept with a connection when it was new; NULL: none. */
static inline void *homeward_http_context(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info
        = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : (void *)0;
}

/* NULL: the request has no such header. */
static inline const char *homeward_http_header(struct MHD_Connection *connection, const char *name)
{
    return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

struct homeward_http_seeker {
    void *context;
    const char *name;
    void (*found)(void *context, const char *value);
};

static inline enum MHD_Result homeward_http_seek(
    void *context, enum MHD_ValueKind kind, const char *name, const char *value)
{
    (void)kind;
    const struct homeward_http_seeker *seeker = (const struct homeward_http_seeker *)context;
    if (strcasecmp(name, seeker->name) == 0) seeker->found(seeker->context, value ? value : "");
    return MHD_YES;
}

/* Tells the values of all headers of that name, in their order. */
static inline void homeward_http_headers(
    struct MHD_Connection *connection, const char *name, void (*found)(void *context, const char *value),
    void *context)
{
    struct homeward_http_seeker seeker = {context, name, found};
    MHD_get_connection_values(connection, MHD_HEADER_KIND, homeward_http_seek, &seeker);
}

/* Decoded; NULL: the request's query has no such name. */
static inline const char *homeward_http_parameter(struct MHD_Connection *connection, const char *name)
{
    return MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, name);
}

/* An answer whose length nobody knows yet. */
static inline struct MHD_Response *homeward_http_stream(
    size_t block, MHD_ContentReaderCallback reader, void *context, MHD_ContentReaderFreeCallback release)
{
    return MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, block, reader, context, release);
}

/* Bytes that are copied, or that live as long as the program. */
static inline struct MHD_Response *homeward_http_bytes(const void *bytes, size_t count, bool is_kept)
{
    return MHD_create_response_from_buffer(
        count, (void *)(uintptr_t)bytes, is_kept ? MHD_RESPMEM_PERSISTENT : MHD_RESPMEM_MUST_COPY);
}

static inline void homeward_http_add_header(struct MHD_Response *response, const char *name, const char *value)
{
    MHD_add_response_header(response, name, value);
}

/* False: the connection has to be closed. */
static inline bool homeward_http_queue(
    struct MHD_Connection *connection, unsigned status, struct MHD_Response *response)
{
    return MHD_queue_response(connection, status, response) == MHD_YES;
}
