find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(TURBOJPEG REQUIRED IMPORTED_TARGET libturbojpeg)
pkg_check_modules(JPEG REQUIRED IMPORTED_TARGET libjpeg)
pkg_check_modules(SPNG REQUIRED IMPORTED_TARGET spng)
pkg_check_modules(CJSON REQUIRED IMPORTED_TARGET libcjson)
find_path(XXHASH_INCLUDE xxhash.h REQUIRED) # header only
find_package(nanopb REQUIRED)

# Some systems install libjpeg-turbo's internal header, which lets us read Huffman codes
# ourselves; without it the library does.
include(CheckCSourceCompiles)
set(CMAKE_REQUIRED_LIBRARIES PkgConfig::JPEG)
check_c_source_compiles("
#include <stdio.h>
#include <jpeglib.h>
#include <jpegint.h>
int main(void) { return (int)sizeof(struct jpeg_entropy_decoder); }" HASTEN_JPEGINT)
unset(CMAKE_REQUIRED_LIBRARIES)
