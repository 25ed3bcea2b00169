void on_event(void (*handler)(int));
static int level = 1;

static void set_level(int wanted)
{
    level = wanted > 0 ? wanted : 1;
}

int main(void)
{
    on_event(set_level);
    return level > 0 ? 10 / level : 0;
}
