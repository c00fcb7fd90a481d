/* A faster reader of Huffman codes for libjpeg-turbo; between the files of JPEG alone. */
#ifndef HST_IMAGE_JPEG_ENTROPY_H
#define HST_IMAGE_JPEG_ENTROPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <jpeglib.h>

#include "hasten/cpu.h"

/** Takes the place of the library's decoder of Huffman codes in a picture of one scan,
 * directly after jpeg_start_decompress; false, and nothing is done, where the picture is
 * of another kind or this build cannot. It reads whole streams alone: at the first bit
 * that is not as it should be (a code that does not exist, data that end, a marker in the
 * wrong place) it calls give_up, which must not return; the library's own decoder, which
 * knows what to make of damage, must then read the picture from its start. Memory is the
 * library's, of the picture. */
bool hst__jpeg_entropy_replace(j_decompress_ptr jpeg, hst_cpu_level level,
                               void (*give_up)(j_decompress_ptr));

#endif
