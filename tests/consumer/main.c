/* main.c - the smallest user of an installed Saltus; prints the version of the library. */
#include <stdio.h>
#include <saltus/saltus.h>

int main(void)
{
    sal_context *context = NULL;
    sal_status   status  = sal_context_create(NULL, &context);

    if (status < 0) {
        fprintf(stderr, "consumer: %s\n", sal_status_text(status));
        return 1;
    }
    sal_context_destroy(&context);
    puts(sal_version());
    return 0;
}
