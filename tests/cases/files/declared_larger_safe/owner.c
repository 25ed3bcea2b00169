int samples[10];
int grid[2][2];
