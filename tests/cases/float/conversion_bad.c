// options: --checks float
float shorter(double x) { return (float)x; } // expect: float unsafe
