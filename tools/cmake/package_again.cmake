# Run by cpack when the packages are there: dpkg-deb packs them again, everything with the date of the version, so that the
# same files give the same packages. The library's ldconfig is called by its trigger, not by the scripts that cpack adds.
foreach(package IN LISTS CPACK_PACKAGE_FILES)
    set(folder "${CPACK_TEMPORARY_DIRECTORY}/again")
    file(REMOVE_RECURSE "${folder}")
    execute_process(COMMAND dpkg-deb -R "${package}" "${folder}" COMMAND_ERROR_IS_FATAL ANY)
    if(EXISTS "${folder}/DEBIAN/triggers")
        file(REMOVE "${folder}/DEBIAN/postinst" "${folder}/DEBIAN/postrm")
    endif()
    execute_process(COMMAND find "${folder}" -exec touch -h -d "@$ENV{SOURCE_DATE_EPOCH}" {} + COMMAND_ERROR_IS_FATAL ANY)
    execute_process(COMMAND dpkg-deb --root-owner-group -Zxz -b "${folder}" "${package}" OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
endforeach()
