# Read by cpack before it begins.
if(NOT CPACK_SAL_PREFIX STREQUAL "/usr")
    message(FATAL_ERROR "packages need a build that was configured with -DCMAKE_INSTALL_PREFIX=/usr (tools/package makes one); "
        "this one has ${CPACK_SAL_PREFIX}")
endif()

set(CPACK_PACKAGE_DESCRIPTION_SUMMARY) # descriptions of packages begin with their own

# The date in everything that is packed: of the version, so that the same files give the same packages.
if(NOT DEFINED ENV{SOURCE_DATE_EPOCH})
    execute_process(COMMAND date -u -d "${CPACK_SAL_DATE}" +%s
        OUTPUT_VARIABLE epoch OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    set(ENV{SOURCE_DATE_EPOCH} "${epoch}")
endif()
