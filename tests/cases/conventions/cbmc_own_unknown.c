// What only CBMC knows is not guessed at.
void __CPROVER_havoc_object(void *);

int main(void)
{
    int level = 1;
    __CPROVER_havoc_object(&level);
    return 10 / level; // expect: division-by-zero unknown __CPROVER_havoc_object
}
