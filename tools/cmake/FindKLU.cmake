# FindKLU - the sparse solver KLU of SuiteSparse, whose 5.x ships neither a CMake package nor a .pc file.
#
#   KLU::KLU      imported target, with BTF, AMD, COLAMD and SuiteSparse_config
#   KLU_FOUND, KLU_VERSION
#
# KLU_ROOT or CMAKE_PREFIX_PATH say where to look besides the usual places.

find_path(KLU_INCLUDE_DIR klu.h PATH_SUFFIXES suitesparse)
find_library(KLU_LIBRARY klu)
mark_as_advanced(KLU_INCLUDE_DIR KLU_LIBRARY)

set(_klu_needs)
set(_klu_variables)
foreach(_klu_part IN ITEMS btf amd colamd suitesparseconfig)
    string(TOUPPER "KLU_${_klu_part}_LIBRARY" _klu_variable)
    find_library(${_klu_variable} ${_klu_part})
    mark_as_advanced(${_klu_variable})
    list(APPEND _klu_needs "${${_klu_variable}}")
    list(APPEND _klu_variables ${_klu_variable})
endforeach()

set(KLU_VERSION)
if(KLU_INCLUDE_DIR)
    set(_klu_version)
    foreach(_klu_part IN ITEMS MAIN SUB SUBSUB)
        file(STRINGS "${KLU_INCLUDE_DIR}/klu.h" _klu_line REGEX "^#define KLU_${_klu_part}_VERSION +[0-9]+")
        if(_klu_line MATCHES "VERSION +([0-9]+)")
            list(APPEND _klu_version ${CMAKE_MATCH_1})
        endif()
    endforeach()
    list(JOIN _klu_version "." KLU_VERSION)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(KLU
    REQUIRED_VARS KLU_LIBRARY KLU_INCLUDE_DIR ${_klu_variables}
    VERSION_VAR KLU_VERSION
    REASON_FAILURE_MESSAGE "KLU is part of SuiteSparse. On Debian: apt-get install libsuitesparse-dev"
)

if(KLU_FOUND AND NOT TARGET KLU::KLU)
    add_library(KLU::KLU UNKNOWN IMPORTED)
    set_target_properties(KLU::KLU PROPERTIES
        IMPORTED_LOCATION "${KLU_LIBRARY}"
        INTERFACE_INCLUDE_DIRECTORIES "${KLU_INCLUDE_DIR}"
        INTERFACE_LINK_LIBRARIES "${_klu_needs}"
    )
endif()
