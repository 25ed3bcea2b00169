// A function handed to code outside may be called by it, with anything.
void on_event(void (*handler)(int));
static int level = 1;

static void set_level(int wanted)
{
    level = wanted;
    (void)(100 / wanted); // expect: division-by-zero cond-unsafe
}

int main(void)
{
    on_event(set_level);
    return 10 / level; // expect: division-by-zero unsafe
}
