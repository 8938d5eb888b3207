# Run by cpack when each component has been installed into a folder of its own, before that is packed: its copyright and
# changes, pages compressed, permissions that do not depend on who builds.
execute_process(COMMAND date -u -d "@$ENV{SOURCE_DATE_EPOCH}" -R
    OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)

function(run)
    execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# /usr/share/doc of a package.
function(write_documents component folder)
    file(READ "${CPACK_SAL_SOURCE}/LICENSE" licence)
    if(component STREQUAL "command" AND CPACK_SAL_DYGRAPHS) # it is in the command, and in the reports that it writes
        file(READ "${CPACK_SAL_DYGRAPHS}" dygraphs)
        string(APPEND licence "\n\nThe command contains Dygraphs, which it puts into reports:\n\n${dygraphs}")
    endif()
    file(WRITE "${folder}/copyright" "${licence}")
    file(WRITE "${folder}/changelog.Debian" "saltus (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium

  * Saltus ${CPACK_PACKAGE_VERSION}: changelog.gz says what is new.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
    configure_file("${CPACK_SAL_SOURCE}/CHANGELOG.md" "${folder}/changelog" COPYONLY)
    run(gzip -9nf "${folder}/changelog" "${folder}/changelog.Debian")
endfunction()

foreach(component IN LISTS CPACK_COMPONENTS_ALL)
    set(root "${CPACK_TEMPORARY_INSTALL_DIRECTORY}/${component}")
    string(TOUPPER ${component} upper)
    set(name ${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
    write_documents(${component} "${root}/usr/share/doc/${name}")
    file(GLOB pages "${root}/usr/share/man/man*/*")
    foreach(page IN LISTS pages)
        run(gzip -9nf "${page}")
    endforeach()
    run(chmod -R u=rwX,go=rX "${root}")
endforeach()
