// The same with memory that is still there.
#include <string.h>

static char text[] = "a,b";
static int words;

static void begin(void) { words = strtok(text, ",") != NULL; }
static void rest(void) { words += strtok(NULL, ",") != NULL; }

int main(void)
{
    begin();
    rest();
    return words;
}
