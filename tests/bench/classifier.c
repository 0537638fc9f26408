/* A rendering of the algorithm that pytorch's log classifier publishes, written for this benchmark: read the whole
 * log, clean every line (stamp, escapes), then for each rule walk the lines from the last to the first until it hits.
 * Regular expressions by PCRE2 with its JIT, declared here because only its library may be installed.
 * Usage: classifier RULES LOG; prints seconds, bytes and the number of rules that hit. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct pcre2_code pcre2_code;
typedef struct pcre2_match_data pcre2_match_data;
extern pcre2_code *pcre2_compile_8(const uint8_t *, size_t, uint32_t, int *, size_t *, void *);
extern pcre2_match_data *pcre2_match_data_create_8(uint32_t, void *);
extern int pcre2_jit_compile_8(pcre2_code *, uint32_t);
extern int pcre2_match_8(const pcre2_code *, const uint8_t *, size_t, size_t, uint32_t, pcre2_match_data *, void *);

typedef struct { const uint8_t *text; size_t length; } line;

static uint8_t *slurp(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    uint8_t *text = malloc(*size + 1);
    if (fread(text, 1, *size, file) != *size) exit(2);
    text[*size] = 0;
    fclose(file);
    return text;
}

/* Copies one line without its stamp and its colours. */
static size_t clean(const uint8_t *from, size_t length, uint8_t *to) {
    size_t at = 0, kept = 0;
    if (length > 28 && from[4] == '-' && from[7] == '-' && from[10] == 'T' && from[27] == 'Z') at = 29;
    while (at < length) {
        if (from[at] == 0x1b && at + 1 < length && from[at + 1] == '[') {
            at += 2;
            while (at < length && !(from[at] >= '@' && from[at] <= '~')) at++;
            at++;
        } else {
            to[kept++] = from[at++];
        }
    }
    return kept;
}

int main(int count, char **argument) {
    size_t rules_size, log_size, capacity = 1 << 16, lines_count = 0, rules_count = 0, hits = 0;
    if (count != 3) return 2;
    uint8_t *rules = slurp(argument[1], &rules_size), *log = slurp(argument[2], &log_size);
    pcre2_code **codes = malloc(sizeof *codes * 100000);
    for (uint8_t *rule = (uint8_t *)strtok((char *)rules, "\n"); rule; rule = (uint8_t *)strtok(NULL, "\n")) {
        int error;
        size_t where;
        pcre2_code *code = pcre2_compile_8(rule, (size_t)-1 /* zero-terminated */, 0, &error, &where, NULL);
        if (!code) return 3;
        pcre2_jit_compile_8(code, 1);
        codes[rules_count++] = code;
    }
    pcre2_match_data *match = pcre2_match_data_create_8(64, NULL);
    struct timespec before, after;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
    line *lines = malloc(sizeof *lines * capacity);
    uint8_t *cleaned = malloc(log_size + 1), *next = cleaned;
    for (uint8_t *at = log, *end = log + log_size; at < end;) {
        uint8_t *stop = memchr(at, '\n', (size_t)(end - at));
        if (!stop) stop = end;
        if (lines_count == capacity) lines = realloc(lines, sizeof *lines * (capacity *= 2));
        size_t length = clean(at, (size_t)(stop - at), next);
        lines[lines_count++] = (line){next, length};
        next += length;
        at = stop + 1;
    }
    for (size_t rule = 0; rule < rules_count; rule++)
        for (size_t at = lines_count; at-- > 0;)
            if (pcre2_match_8(codes[rule], lines[at].text, lines[at].length, 0, 0, match, NULL) > 0) {
                hits++;
                break;
            }
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
    double seconds = (double)(after.tv_sec - before.tv_sec) + (double)(after.tv_nsec - before.tv_nsec) / 1e9;
    printf("%.6f %zu %zu\n", seconds, log_size, hits);
    return 0;
}
