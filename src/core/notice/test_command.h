#ifndef CORE_NOTICE_TEST_COMMAND_H
#define CORE_NOTICE_TEST_COMMAND_H
/*
 * Recognises command lines that run a project's tests by the names of common
 * test runners.  A false result means only that no runner was recognised.
 */
#include "base/str.h"

/*
 * Is the exit code of this line that of a test run?  The runner must be the last command of the
 * line and not feed a pipe, whose exit code would be another program's.
 */
bool test_command_is(struct str line);

#endif
