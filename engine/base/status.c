/* status.c - names and meanings of status codes, the version. */
#include "engine/base/base.h"

const char *sal_status_name(sal_status status)
{
    switch (status) {
#define STATUS_NAME(name, value, text) \
    case name: return #name;
        SAL_STATUS_LIST(STATUS_NAME)
    }
    return "unknown status";
}

const char *sal_status_text(sal_status status)
{
    switch (status) {
#define STATUS_TEXT(name, value, text) \
    case name: return text;
        SAL_STATUS_LIST(STATUS_TEXT)
    }
    return "unknown status";
}

const char *sal_version(void)
{
    return SAL_VERSION;
}
