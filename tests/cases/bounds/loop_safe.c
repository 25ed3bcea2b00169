static unsigned char buffer[16];

int main(void)
{
    for (int i = 0; i < 16; i++) {
        buffer[i] = (unsigned char)i;
    }
    return buffer[15];
}
