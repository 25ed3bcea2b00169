struct vector {
    float x, y, z;
};

static struct vector flat(float x, float y)
{
    struct vector v;
    v.x = x;
    v.y = y;
    return v;
}

int main(void)
{
    struct vector v = flat(1, 2);
    return v.x > v.y;
}
