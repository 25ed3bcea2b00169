// Static storage is zero.
static int counter;
static struct {
    int a[3];
} s;

int main(void)
{
    return counter + s.a[1];
}
