// Loops that end at a known place are unrolled fully, whatever their test looks like.
// options: --strategy global --unwind 4
#include <assert.h>

struct item {
    struct item *next;
    int weight;
};

int main(void) {
    static const char text[] = "a text that is known";
    int length = 0;
    while (length < 100 && text[length] != '\0') {
        length++;
    }
    assert(length == 20);
    int blanks = 0;
    for (const char *at = text; *at; at++) {
        blanks += *at == ' ';
    }
    assert(blanks == 4);
    struct item items[6];
    for (int i = 0; i < 6; i++) {
        items[i].next = i < 5 ? &items[i + 1] : 0;
        items[i].weight = i;
    }
    int sum = 0;
    for (struct item *item = items; item; item = item->next) {
        sum += item->weight;
    }
    assert(sum == 15);
    return 0;
}
