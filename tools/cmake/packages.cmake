# cpack makes packages for Debian, one of each component:
#   libsaltus0, libsaltus-dev, saltus, python3-saltus, and saltus-mpi where it is built.
# For a build that was configured with CMAKE_INSTALL_PREFIX=/usr, so that folders are those of Debian: tools/package.

set(SAL_SONAME "${PROJECT_VERSION_MAJOR}")
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME saltus)
set(CPACK_PACKAGE_VENDOR "the Saltus authors")
set(CPACK_PACKAGE_CONTACT "The Saltus authors <saltus@saltus.invalid>" CACHE STRING "Who makes the packages: name <address>")
set(CPACK_PACKAGE_DIRECTORY "${PROJECT_BINARY_DIR}/packages")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE) # each is a package
set(CPACK_COMPONENTS_ALL library development command python)
if(TARGET saltus_mpi)
    list(APPEND CPACK_COMPONENTS_ALL mpi)
endif()

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")

set(this_version "(= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")
set(about "Saltus computes planar mechanisms that make and break contact: their motion
through impacts, friction and constraints that switch, and its derivatives,
which are exact through every event.

This package has")

# Multi-Arch goes with the section: cpack has a variable for it from 3.31 on only.
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME "libsaltus${SAL_SONAME}")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION "libs\nMulti-Arch: same")
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "multibody dynamics with contacts: library
${about} the shared library.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libsaltus-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION "libdevel\nMulti-Arch: same")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
    "libsaltus${SAL_SONAME} ${this_version}, libsuitesparse-dev, libopenblas-dev, libcjson-dev")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS "saltus, pkg-config")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "multibody dynamics with contacts: development files
${about} the headers, the static library, and what CMake and
pkg-config need.")

set(CPACK_DEBIAN_COMMAND_PACKAGE_NAME saltus)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SECTION science)
set(CPACK_DEBIAN_COMMAND_PACKAGE_RECOMMENDS bash-completion)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SUGGESTS "libsaltus-dev, python3-saltus, www-browser, xdg-utils")
set(CPACK_COMPONENT_COMMAND_DESCRIPTION "multibody dynamics with contacts: command
${about} the command, which simulates, differentiates, draws and
shows mechanisms in the browser, with scenes to begin with and the guides.")

set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-saltus)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "libsaltus${SAL_SONAME} ${this_version}, python3:any, python3-numpy")
set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS saltus)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS python3-scipy)
set(CPACK_COMPONENT_PYTHON_DESCRIPTION "multibody dynamics with contacts: Python module
${about} the module for Python.")

set(CPACK_DEBIAN_MPI_PACKAGE_NAME saltus-mpi)
set(CPACK_DEBIAN_MPI_PACKAGE_SECTION science)
set(CPACK_DEBIAN_MPI_PACKAGE_DEPENDS "saltus ${this_version}, openmpi-bin")
set(CPACK_COMPONENT_MPI_DESCRIPTION "multibody dynamics with contacts: many runs on many machines
${about} the command for sweeps over the ranks of MPI.")

# Python compiles the module when it is installed, and what it compiled goes before the module does.
foreach(script IN ITEMS postinst prerm)
    configure_file(tools/cmake/python.${script}.in packaging/python/${script} @ONLY
        FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
    list(APPEND CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA "${PROJECT_BINARY_DIR}/packaging/python/${script}")
endforeach()
file(WRITE "${PROJECT_BINARY_DIR}/packaging/library/triggers" "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA "${PROJECT_BINARY_DIR}/packaging/library/triggers")

# Before they are packed: what Debian wants beside the files; afterwards: one date for all.
set(CPACK_PROJECT_CONFIG_FILE "${PROJECT_SOURCE_DIR}/tools/cmake/package_config.cmake")
set(CPACK_PRE_BUILD_SCRIPTS "${PROJECT_SOURCE_DIR}/tools/cmake/package_files.cmake")
set(CPACK_POST_BUILD_SCRIPTS "${PROJECT_SOURCE_DIR}/tools/cmake/package_again.cmake")
set(CPACK_SAL_PREFIX "${CMAKE_INSTALL_PREFIX}")
set(CPACK_SAL_SOURCE "${PROJECT_SOURCE_DIR}")
set(CPACK_SAL_DATE "${SAL_DATE}")
if(DYGRAPHS_DIR AND DYGRAPHS_COPYRIGHT)
    set(CPACK_SAL_DYGRAPHS "${DYGRAPHS_COPYRIGHT}")
endif()
include(CPack)
