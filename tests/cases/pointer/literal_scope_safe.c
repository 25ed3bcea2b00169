struct point {
    int x, y;
};

int length(const struct point *p)
{
    return p->x / 2 + p->y / 2;
}

int choice(int far)
{
    const struct point *p = &(struct point){1, 2};
    if (far)
        return length(&(struct point){far, far});
    while (far++ < 3) {
        const struct point *q = &(struct point){far ? 1 : 2, far};
        p = far == 2 ? p : q;
        if (p->x == far)
            break;
        p = &(struct point){q->x, 0};
        if (length(p) > 5)
            return p->x;
        p = q = 0;
    }
    return far < 0 ? 0 : 1;
}

/* C11 6.5.2.5, example 8, in a block: control comes back before it ends. */
int again(void)
{
    {
        struct point *p = 0, *q;
        int j = 0;
    once_more:
        q = p, p = &(struct point){j++, 0};
        if (j < 2)
            goto once_more;
        return p == q && q->x == 1 ? 0 : 1 / (j - 2);
    }
}
