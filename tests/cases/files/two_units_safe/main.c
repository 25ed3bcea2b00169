int share(int total, int people);
int nondet_int(void);

int main(void)
{
    int people = nondet_int();
    return people > 0 ? share(100, people) : 0;
}
