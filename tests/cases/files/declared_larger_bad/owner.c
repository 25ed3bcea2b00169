int samples[8];
int grid[2][3];
