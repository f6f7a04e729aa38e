#pragma once
#include <sqlite3.h>

/* Variadic, which Swift cannot call. Before the first connection: no stock of empty pages (SQLite touches all of
   the 88 kB at once, and a store at rest needs eight of its twenty pages), and nobody asks for its counts. */
static inline void homeward_sqlite_lean(void)
{
    sqlite3_config(SQLITE_CONFIG_PAGECACHE, (void *)0, 0, 0);
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

/* A connection's lookaside buffer is 120 kB that a store with a
   handful of prepared statements has no use for. */
static inline void homeward_sqlite_without_lookaside(sqlite3 *connection)
{
    sqlite3_db_config(connection, SQLITE_DBCONFIG_LOOKASIDE, (void *)0, 0, 0);
}
