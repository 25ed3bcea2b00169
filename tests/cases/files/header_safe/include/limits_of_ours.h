#define SIZE 7
