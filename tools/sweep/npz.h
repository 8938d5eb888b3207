/* npz.h - arrays as NumPy's numpy.load reads them: an uncompressed zip archive of .npy files. */
#ifndef SAL_TOOLS_SWEEP_NPZ_H
#define SAL_TOOLS_SWEEP_NPZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct npz npz;

npz *npz_open(FILE *f); /* NULL: out of memory */
/* One array of n numbers each. Sample k of doubles is at x[k*stride]. Of texts, UTF-8: NULL is "". False: there is no
 * memory, or the archive would be larger than 4 GB, which its format does not have; what was written is then of no
 * use. */
bool npz_doubles(npz *z, const char *name, const double *x, long n, long stride);
bool npz_longs(npz *z, const char *name, const int64_t *x, long n);
bool npz_texts(npz *z, const char *name, const char *const *text, long n);
bool npz_close(npz *z); /* writes what comes last, and frees; false: as above */

/* The checksum of zip archives (CRC-32): of what came before, 0 for nothing, and these bytes. */
uint32_t crc32_of(uint32_t before, const void *bytes, size_t count);

#endif
