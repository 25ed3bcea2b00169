#include <assert.h>
#include <string.h>

int main(void)
{
    char text[] = "ab  c";
    char *first = strtok(text, " ");
    char *second = strtok(NULL, " ");
    assert(first == text && first[2] == 0);
    assert(second == text + 4 && strtok(NULL, " ") == NULL);
    return 0;
}
