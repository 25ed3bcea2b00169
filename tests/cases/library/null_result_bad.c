// Functions that only their prototype is known of fail too: null, or the address -1.
#define _GNU_SOURCE
#include <dirent.h>
#include <pwd.h>
#include <string.h>
#include <sys/mman.h>

int opened(void)
{
    DIR *folder = opendir("records");
    return readdir(folder) != 0; // expect: pointer unsafe
}

int last(DIR *folder)
{
    struct dirent *entry = readdir(folder);
    return entry->d_type; // expect: pointer unsafe
}

int owner(const char *name)
{
    return getpwnam(name)->pw_uid == 0; // expect: pointer unsafe
}

int found(const char *text)
{
    return *strcasestr(text, "end"); // expect: pointer unsafe
}

int mapped(int file)
{
    const char *bytes = mmap(0, 4096, PROT_READ, MAP_SHARED, file, 0);
    return bytes ? bytes[0] : 0; // expect: pointer unsafe
}
