#pragma once
#include <sqlite3.h>

/* Variadic, which Swift cannot call. A connection's lookaside buffer is 120 kB that a store with a
   handful of prepared statements has no use for. */
static inline void homeward_sqlite_without_lookaside(sqlite3 *connection)
{
    sqlite3_db_config(connection, SQLITE_DBCONFIG_LOOKASIDE, (void *)0, 0, 0);
}
