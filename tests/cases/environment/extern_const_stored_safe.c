// Nothing is written through a pointer to const, also where it is the pointer's address that gets out.
extern void look(const int *const *place);
struct view { const int *data; int count; };
extern void show(const struct view *view);

int local(void)
{
    int limit = 1;
    const int *place = &limit;
    look(&place);
    return 10 / limit;
}

int member(void)
{
    int limit = 1;
    struct view view = {&limit, 1};
    show(&view);
    return 10 / limit;
}
