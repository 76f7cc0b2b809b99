// Compiles as it stands; each TRAINYARD_WRONG is an expression that must not.
#include "trainyard/units.h"

using namespace trainyard;

Seconds right() { return Bytes(1) / BytesPerSecond(1) + Seconds(1); }

#if defined(TRAINYARD_WRONG) && TRAINYARD_WRONG == 1
auto wrong() { return Bytes(1) + Seconds(1); }
#elif defined(TRAINYARD_WRONG) && TRAINYARD_WRONG == 2
Seconds wrong() { return Bytes(1) / BitRate(1); }
#elif defined(TRAINYARD_WRONG) && TRAINYARD_WRONG == 3
Watts wrong() { return Usd(1); }
#elif defined(TRAINYARD_WRONG) && TRAINYARD_WRONG == 4
Bytes wrong() { return 1.0; }
#elif defined(TRAINYARD_WRONG) && TRAINYARD_WRONG == 5
bool wrong() { return Flop(1) < FlopRate(1); }
#elif defined(TRAINYARD_WRONG) && TRAINYARD_WRONG == 6
auto wrong() { return Megawatts(1) + Watts(1); }
#elif defined(TRAINYARD_WRONG) && TRAINYARD_WRONG == 7
double wrong() { return Kilometres(1).si(); }
#endif
