/* Installed setuid root during a test: reports whether that had an effect. */
#include <stdio.h>
#include <unistd.h>

int main(void)
{
	printf("uid %d euid %d\n", (int)getuid(), (int)geteuid());
	return geteuid() == 0 && getuid() != 0 ? 42 : 1;
}
