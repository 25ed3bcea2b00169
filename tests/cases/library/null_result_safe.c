#define _GNU_SOURCE
#include <dirent.h>
#include <pwd.h>
#include <string.h>
#include <sys/mman.h>

int opened(void)
{
    DIR *folder = opendir("records");
    return folder && readdir(folder) != 0;
}

int last(DIR *folder)
{
    struct dirent *entry = readdir(folder);
    return entry ? entry->d_type : 0;
}

int owner(const char *name)
{
    struct passwd *entry = getpwnam(name);
    return entry != 0 && entry->pw_uid == 0;
}

int found(const char *text)
{
    const char *end = strcasestr(text, "end");
    return end ? *end : 0;
}

int mapped(int file)
{
    const char *bytes = mmap(0, 4096, PROT_READ, MAP_SHARED, file, 0);
    return bytes != MAP_FAILED ? bytes[0] : 0;
}
