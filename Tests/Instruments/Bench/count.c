/* A plugin of qemu-aarch64 that says at the end how many instructions were run. The few declarations that it needs stand
 * here: Debian has no header for them. */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>

#define EXPORT __attribute__((visibility("default")))

typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;
enum { QEMU_PLUGIN_INLINE_ADD_U64 };

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *block, int operation, void *place, uint64_t more);
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, void (*found)(qemu_plugin_id_t, struct qemu_plugin_tb *));
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, void (*ended)(qemu_plugin_id_t, void *), void *with);
void qemu_plugin_outs(const char *text);

EXPORT int qemu_plugin_version = 1;
static uint64_t instructions;

static void found(qemu_plugin_id_t id, struct qemu_plugin_tb *block)
{
	(void)id;
	qemu_plugin_register_vcpu_tb_exec_inline(block, QEMU_PLUGIN_INLINE_ADD_U64, &instructions,
						 qemu_plugin_tb_n_insns(block));
}

static void ended(qemu_plugin_id_t id, void *with)
{
	char text[64];

	(void)id;
	(void)with;
	snprintf(text, sizeof text, "instructions: %" PRIu64 "\n", instructions);
	qemu_plugin_outs(text);
}

EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const void *about, int count, char **words)
{
	(void)about;
	(void)count;
	(void)words;
	qemu_plugin_register_vcpu_tb_trans_cb(id, found);
	qemu_plugin_register_atexit_cb(id, ended, 0);
	return 0;
}
