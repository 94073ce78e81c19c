# Reads src/rooms.txt, whose head explains the format. Sets SINTER_ROOMS (in order) and for each room
# SINTER_DEPS_<room> (wildcards resolved) and SINTER_EXTERNALS_<room>.

set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/rooms.txt)

# The target of a room: sinter_room_ir_ops for ir/ops.
function(sinter_room_target room out)
  string(REPLACE "/" "_" name ${room})
  set(${out} sinter_room_${name} PARENT_SCOPE)
endfunction()

macro(_sinter_read_rooms)
  set(SINTER_ROOMS "")
  file(STRINGS ${PROJECT_SOURCE_DIR}/src/rooms.txt _lines)
  foreach(_line IN LISTS _lines)
    # file(STRINGS) and foreach treat brackets specially; parentheses do not occur in the file.
    string(REGEX REPLACE "#.*" "" _line "${_line}")
    if(_line MATCHES "^public " OR NOT _line MATCHES "^([a-z_/]+):([^[]*)(.*)$")
      continue()
    endif()
    set(_room ${CMAKE_MATCH_1})
    string(REGEX MATCHALL "[a-z_/*]+" _names "${CMAKE_MATCH_2}")
    string(REGEX MATCHALL "[a-z0-9]+" SINTER_EXTERNALS_${_room} "${CMAKE_MATCH_3}")
    set(SINTER_DEPS_${_room} "")
    foreach(_name IN LISTS _names)
      string(REPLACE "*" ".*" _pattern ${_name})
      set(_seen ${SINTER_ROOMS})
      list(FILTER _seen INCLUDE REGEX "^${_pattern}$")
      if(NOT _seen)
        message(FATAL_ERROR "src/rooms.txt: ${_room} names ${_name}, which does not stand above it")
      endif()
      list(APPEND SINTER_DEPS_${_room} ${_seen})
    endforeach()
    list(REMOVE_DUPLICATES SINTER_DEPS_${_room})
    list(APPEND SINTER_ROOMS ${_room})
  endforeach()
endmacro()
_sinter_read_rooms()
