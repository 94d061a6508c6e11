#ifndef STORE_SQLITE_INT_H
#define STORE_SQLITE_INT_H
/*
 * Private to the files of the SQLite store: all their headers.
 *
 *   sqlite.c         opening, closing, threads, mail between them, stats
 *   sqlite_state.c   whether the store still works
 *   sqlite_dir.c     the directory: an empty log where there was one
 *   sqlite_identity.c  the log's id, what carries it, and whose write-ahead log this is
 *   sqlite_watch.c   the files are still the ones that were opened
 *   sqlite_conn.c    one connection: statements, values, errors
 *   sqlite_file.c    settings, format version, schema
 *   sqlite_new.c     an empty log, made in memory and put in its place whole
 *   sqlite_writer.c  the writer's connection: its statements, errors, index rows
 *   sqlite_write.c   the writer: group commit, meta values
 *   sqlite_transact.c  the writer: one transaction beside the commits of batches
 *   sqlite_read.c    the reader: requests, index rows, single records
 *   sqlite_events.c  the reader: pages of events, from rows and from packs
 *   sqlite_reads.c   distinguishes failed reads from damage
 *   sqlite_sum.c     checksums of rows
 *   sqlite_room.c    the ballast, for when the disk is full
 *   sqlite_space.c   space on the disk for pages that are still in the WAL
 *   sqlite_plan.c    packing, removing, erasing: the reader plans what to write
 *   sqlite_maintenance.c  and the writer writes it
 *   sqlite_idle.c    the writer: the WAL into the file, free pages back to the disk
 *   sqlite_ledger.c  accounts, updated with the events that change them
 *   sqlite_pending.c  cuts and erasures that are recorded and not yet done
 *   sqlite_removed.c  sessions that were deleted
 *   sqlite_rowlog.c  index rows that reach their tables later
 *   sqlite_move.c    all rows of a log, for another store, or from one
 *   sqlite_coalesce.c  a VFS that joins the writes to the WAL
 *
 * Read sqlite_conn.h and sqlite_store.h first.
 */
#include "store/sqlite/files/sqlite_files.h"
#include "store/sqlite/sqlite_conn.h"
#include "store/sqlite/sqlite_read.h"
#include "store/sqlite/sqlite_store.h"
#include "store/sqlite/sqlite_write.h"

#endif
