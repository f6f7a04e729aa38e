#include "cgps.h"
