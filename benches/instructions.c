/* A plugin for qemu-user that prints how many instructions a program has executed. The
 * declarations are those of version 1 of the plugins' interface. */

#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define EXPORTED __attribute__((visibility("default")))

typedef uint64_t id;
struct block;
enum operation { ADD };

void qemu_plugin_register_vcpu_tb_trans_cb(id, void (*)(id, struct block *));
void qemu_plugin_register_vcpu_tb_exec_inline(struct block *, enum operation, void *, uint64_t);
void qemu_plugin_register_atexit_cb(id, void (*)(id, void *), void *);
size_t qemu_plugin_tb_n_insns(const struct block *);

EXPORTED int qemu_plugin_version = 1;

static uint64_t executed;

static void translated(id plugin, struct block *block) {
    (void)plugin;
    qemu_plugin_register_vcpu_tb_exec_inline(block, ADD, &executed, qemu_plugin_tb_n_insns(block));
}

static void ended(id plugin, void *data) {
    (void)plugin;
    (void)data;
    fprintf(stderr, "%" PRIu64 " instructions\n", executed);
}

EXPORTED int qemu_plugin_install(id plugin, const void *info, int count, char **arguments) {
    (void)info;
    (void)count;
    (void)arguments;
    qemu_plugin_register_vcpu_tb_trans_cb(plugin, translated);
    qemu_plugin_register_atexit_cb(plugin, ended, NULL);
    return 0;
}
