# Target `manual`: man1, man5 and saltus.bash in SAL_MANUAL, made from the help of the command by tools/manual.

set(SAL_MANUAL "${PROJECT_BINARY_DIR}/manual")
set(SAL_MANUAL_FILES "${PROJECT_SOURCE_DIR}/tools/manual/manual.awk" "${PROJECT_SOURCE_DIR}/tools/manual/completion.bash")
add_custom_command(OUTPUT "${SAL_MANUAL}/saltus.bash"
    COMMAND "${CMAKE_COMMAND}" -E rm -rf "${SAL_MANUAL}"
    COMMAND "${CMAKE_COMMAND}" -E make_directory "${SAL_MANUAL}/man1" "${SAL_MANUAL}/man5"
    COMMAND "${AWK}" -v "exe=$<TARGET_FILE:saltus_command>" -v name=saltus -v "version=${PROJECT_VERSION}"
        -v "date=${SAL_DATE}" -v "folder=${SAL_MANUAL}" -f "${PROJECT_SOURCE_DIR}/tools/manual/manual.awk"
    COMMAND "${CMAKE_COMMAND}" -E cat "${SAL_MANUAL}/tables.bash" "${PROJECT_SOURCE_DIR}/tools/manual/completion.bash"
        > "${SAL_MANUAL}/saltus.bash"
    DEPENDS saltus_command ${SAL_MANUAL_FILES}
    VERBATIM
)
add_custom_target(manual ALL DEPENDS "${SAL_MANUAL}/saltus.bash")
