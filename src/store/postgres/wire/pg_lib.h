#ifndef STORE_POSTGRES_WIRE_PG_LIB_H
#define STORE_POSTGRES_WIRE_PG_LIB_H
/*
 * libpq, loaded when a PostgreSQL store is opened and never linked.
 *
 * The declarations repeat the part of libpq-fe.h of version 14 that the store calls, so
 * that neither the build nor SQLite mode needs libpq.  The values of the enums are part
 * of libpq's binary interface.
 */
#include "base/err.h"

typedef struct pg_handle PGconn;
typedef struct pg_answer PGresult;
typedef void (*pg_lib_notice)(void *arg, const char *message);

struct pg_lib_option { /* PQconninfoOption */
	char *keyword, *envvar, *compiled, *val, *label, *dispchar;
	int dispsize;
};

struct pg_lib_notify { /* PGnotify */
	char *channel;
	int pid; /* of the backend that sent it */
	char *payload;
};

enum { CONNECTION_OK = 0, CONNECTION_BAD = 1 };
enum { PQTRANS_IDLE = 0 };

enum pg_lib_status { /* ExecStatusType */
	             PGRES_EMPTY_QUERY,
	             PGRES_COMMAND_OK,
	             PGRES_TUPLES_OK,
	             PGRES_COPY_OUT,
	             PGRES_COPY_IN,
	             PGRES_BAD_RESPONSE,
	             PGRES_NONFATAL_ERROR,
	             PGRES_FATAL_ERROR,
	             PGRES_COPY_BOTH,
	             PGRES_SINGLE_TUPLE,
	             PGRES_PIPELINE_SYNC,
	             PGRES_PIPELINE_ABORTED,
};

#define PG_LIB_SQLSTATE 'C' /* PG_DIAG_SQLSTATE */

/* X(result, name, arguments) */
#define PG_LIB_FUNCTIONS(X)                                                                        \
	X(int, PQlibVersion, (void))                                                               \
	X(struct pg_lib_option *, PQconninfoParse, (const char *info, char **error))               \
	X(void, PQconninfoFree, (struct pg_lib_option * options))                                  \
	X(void, PQfreemem, (void *memory))                                                         \
	X(PGconn *, PQconnectdbParams,                                                             \
	  (const char *const *keywords, const char *const *values, int expand))                    \
	X(void, PQfinish, (PGconn * conn))                                                         \
	X(int, PQstatus, (const PGconn *conn))                                                     \
	X(char *, PQerrorMessage, (const PGconn *conn))                                            \
	X(int, PQsocket, (const PGconn *conn))                                                     \
	X(int, PQbackendPID, (const PGconn *conn))                                                 \
	X(int, PQserverVersion, (const PGconn *conn))                                              \
	X(int, PQconnectionNeedsPassword, (const PGconn *conn))                                    \
	X(int, PQconnectionUsedPassword, (const PGconn *conn))                                     \
	X(pg_lib_notice, PQsetNoticeProcessor, (PGconn * conn, pg_lib_notice to, void *arg))       \
	X(PGresult *, PQexec, (PGconn * conn, const char *sql))                                    \
	X(PGresult *, PQprepare,                                                                   \
	  (PGconn * conn, const char *name, const char *sql, int count, const unsigned *types))    \
	X(int, PQsendQueryParams,                                                                  \
	  (PGconn * conn, const char *sql, int count, const unsigned *types,                       \
	   const char *const *values, const int *lengths, const int *formats, int binary))         \
	X(int, PQsendQueryPrepared,                                                                \
	  (PGconn * conn, const char *name, int count, const char *const *values,                  \
	   const int *lengths, const int *formats, int binary))                                    \
	X(int, PQsetnonblocking, (PGconn * conn, int is_nonblocking))                              \
	X(int, PQflush, (PGconn * conn))                                                           \
	X(int, PQconsumeInput, (PGconn * conn))                                                    \
	X(struct pg_lib_notify *, PQnotifies, (PGconn * conn))                                     \
	X(int, PQisBusy, (PGconn * conn))                                                          \
	X(PGresult *, PQgetResult, (PGconn * conn))                                                \
	X(int, PQenterPipelineMode, (PGconn * conn))                                               \
	X(int, PQexitPipelineMode, (PGconn * conn))                                                \
	X(int, PQtransactionStatus, (const PGconn *conn))                                          \
	X(int, PQpipelineSync, (PGconn * conn))                                                    \
	X(enum pg_lib_status, PQresultStatus, (const PGresult *r))                                 \
	X(char *, PQresultErrorMessage, (const PGresult *r))                                       \
	X(char *, PQresultErrorField, (const PGresult *r, int field))                              \
	X(int, PQntuples, (const PGresult *r))                                                     \
	X(char *, PQgetvalue, (const PGresult *r, int row, int column))                            \
	X(int, PQgetlength, (const PGresult *r, int row, int column))                              \
	X(int, PQgetisnull, (const PGresult *r, int row, int column))                              \
	X(char *, PQcmdTuples, (PGresult * r))                                                     \
	X(void, PQclear, (PGresult * r))

struct pg_lib {
#define FIELD(type, name, args) type(*name) args;
	PG_LIB_FUNCTIONS(FIELD)
#undef FIELD
};

/*
 * Loads libpq once for the process; any thread.  NULL: e says what to install
 * (ERR_UNSUPPORTED).
 */
const struct pg_lib *pg_lib_load(struct error *e);

#endif
