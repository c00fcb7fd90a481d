#ifndef HST_MEASURE_MACHINE_H
#define HST_MEASURE_MACHINE_H

#include "hasten/measure.h"

/** Fills what can be read without measuring. */
void hst__machine_describe(hst_machine *m);
/** Ticks stolen from all CPUs since boot and, in *total, all ticks; -1 where unknown. */
double hst__machine_steal(double *total);

#endif
