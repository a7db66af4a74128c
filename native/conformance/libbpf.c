/*
 * Prints what dev.bascule.ffi.generated has of libbpf's headers (1.1 and newer). One line per item: struct NAME SIZE | field
 * STRUCT NAME OFFSET
 */
#include <bpf/bpf.h>
#include <stddef.h>
#include <stdio.h>

#define S(name) printf("struct %s %zu\n", #name, sizeof(struct name))
#define F(name, field) printf("field %s %s %zu\n", #name, #field, offsetof(struct name, field))

int main(void)
{
    S(bpf_test_run_opts);
    F(bpf_test_run_opts, sz);
    F(bpf_test_run_opts, data_in);
    F(bpf_test_run_opts, data_out);
    F(bpf_test_run_opts, data_size_in);
    F(bpf_test_run_opts, data_size_out);
    F(bpf_test_run_opts, ctx_in);
    F(bpf_test_run_opts, ctx_out);
    F(bpf_test_run_opts, ctx_size_in);
    F(bpf_test_run_opts, ctx_size_out);
    F(bpf_test_run_opts, retval);
    F(bpf_test_run_opts, repeat);
    F(bpf_test_run_opts, duration);
    F(bpf_test_run_opts, flags);
    F(bpf_test_run_opts, cpu);
    F(bpf_test_run_opts, batch_size);
    return 0;
}
