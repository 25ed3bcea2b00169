// A pointer that may be written through, behind one that may not.
extern void look(int *const *place);
struct view { int *data; int count; };
extern void show(const struct view *view);

int local(void)
{
    int limit = 1;
    int *place = &limit;
    look(&place);
    return 10 / limit; // expect: division-by-zero unsafe
}

int member(void)
{
    int limit = 1;
    struct view view = {&limit, 1};
    show(&view);
    return 10 / limit; // expect: division-by-zero unsafe
}
