// A function of the program may be called when strtok was begun before, with memory that is gone.
#include <assert.h>
#include <stdlib.h>
#include <string.h>

static int words;

static void begin(void)
{
    char text[] = "a,b";
    strtok(text, ",");
}

static void rest_of_gone(void)
{
    words += strtok(NULL, ",") != NULL; // expect: pointer unsafe
}

static void begin_on_heap(void)
{
    char *text = malloc(4);
    if (text != NULL) {
        memcpy(text, "a,b", 4);
        strtok(text, ",");
        free(text);
    }
}

static void rest_of_freed(void)
{
    words += strtok(NULL, ",") != NULL; // expect: pointer unsafe
}

int main(int argc, char **argv)
{
    (void)argv;
    if (argc == 1) {
        begin();
        rest_of_gone();
    } else {
        begin_on_heap();
        rest_of_freed();
    }
    return words;
}
