/* One translation unit, so that everything but the interface stays static. */
#include "runtime.h"

#include "system.c"

#include "report.c"

#include "memory.c"

#include "input.c"

#include "hooks.c"

#include "scans.c"

#include "shadow.c"

#include "heap.c"

#include "demands.c"

#include "builtins.c"

#include "math.c"

#include "start.c"
