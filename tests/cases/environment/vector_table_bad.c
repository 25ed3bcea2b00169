// Nobody in the program calls the handler, but the hardware does.
typedef void (*handler)(void);
static volatile unsigned ticks;
static unsigned share = 8u;

void on_timer(void)
{
    share = ticks % share; // expect: division-by-zero cond-unsafe
}

const handler vectors[] = { on_timer };

int main(void)
{
    return 0;
}
