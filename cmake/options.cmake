option(HASTEN_TESTS "Build the tests" ON)
option(HASTEN_WERROR "Warnings are errors" OFF)
option(HASTEN_FUZZ "Build the libFuzzer targets (clang only)" OFF)
set(HASTEN_SANITIZE "" CACHE STRING "Sanitizers, e.g. address,undefined or thread")

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON) # GNU: the POSIX and Linux calls of the base layer
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_C_FLAGS_RELEASE "-O2 -g1 -DNDEBUG")

add_compile_options(-Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla
                    -Wpointer-arith -Wundef -ffp-contract=off -fno-math-errno)
if(HASTEN_WERROR)
  add_compile_options(-Werror)
endif()
if(HASTEN_SANITIZE)
  add_compile_options(-fsanitize=${HASTEN_SANITIZE} -fno-omit-frame-pointer
                      -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${HASTEN_SANITIZE})
endif()
if(HASTEN_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
