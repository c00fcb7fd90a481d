/* Runs a fuzz target over files and folders, for compilers without libFuzzer. Each input
 * ends where its heap block ends, so that a sanitizer sees a read beyond it.
 * usage: fuzz_NAME FILE_OR_FOLDER... */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "fuzz/fuzz.h"

static int count;

static int run_file(const char *path, size_t size) {
    FILE *f = fopen(path, "rbe");
    uint8_t *data = malloc(size ? size : 1);
    int ok = f && data && fread(data, 1, size, f) == size;
    if (ok) {
        LLVMFuzzerTestOneInput(data, size);
        count++;
    } else {
        fprintf(stderr, "%s cannot be read\n", path);
    }
    free(data);
    if (f)
        fclose(f);
    return ok;
}

static int run(const char *path) {
    struct stat info;
    struct dirent *entry;
    int ok = 1;
    if (stat(path, &info) != 0) {
        perror(path);
        return 0;
    }
    if (!S_ISDIR(info.st_mode))
        return run_file(path, (size_t)info.st_size);
    DIR *dir = opendir(path);
    if (!dir) {
        perror(path);
        return 0;
    }
    while ((entry = readdir(dir))) {
        char inside[4096];
        if (*entry->d_name == '.')
            continue;
        snprintf(inside, sizeof inside, "%s/%s", path, entry->d_name);
        ok &= run(inside);
    }
    closedir(dir);
    return ok;
}

int main(int argc, char **argv) {
    int ok = 1;
    for (int i = 1; i < argc; i++)
        ok &= run(argv[i]);
    printf("%d inputs\n", count);
    return ok ? 0 : 1;
}
