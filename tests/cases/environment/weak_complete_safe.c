// In a program with a main, the weak definition is the one that counts where there is no other.
int table[4];

__attribute__((weak)) int limit(void)
{
    return 4;
}

int main(int count, char **arguments)
{
    (void)arguments;
    return count >= 0 && count < limit() ? table[count] : 0;
}
