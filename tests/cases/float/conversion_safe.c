// options: --checks float
float shorter(double x) { return x > -1e30 && x < 1e30 ? (float)x : 0; }
double longer(float x) { return x; }
