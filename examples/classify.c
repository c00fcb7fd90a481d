/* Names what photographs show: classify MODEL.onnx IMAGE... The manifest beside the model
 * (MODEL.json) says how images become inputs. */
#include <hasten/hasten.h>
#include <stdio.h>

static int complain(const hst_error *err) {
    fprintf(stderr, "classify: %s\n", err->message);
    return 1;
}

static hst_status classify(hst_session *session, hst_pipeline *chain, const char *path,
                           hst_error *err) {
    hst_status st = hst_pipeline_load_file(chain, path, NULL, err);
    const hst_tensor *input = hst_pipeline_input(chain), *outputs[8];
    if (!st)
        st = hst_session_run(session, &input, 1, err);
    size_t n = 0;
    while (!st && n < 8 && (outputs[n] = hst_session_output(session, n)))
        n++;
    if (!st)
        st = hst_pipeline_finish(chain, outputs, n, NULL, err);
    if (st)
        return st;
    printf("%s\n", path);
    for (size_t i = 0; i < hst_pipeline_class_count(chain); i++) {
        hst_class c; /* getting it cannot fail: i is below the count */
        hst_pipeline_get_class(chain, i, &c, NULL);
        printf("  %.4f  %d %s\n", c.score, c.index, c.label ? c.label : "");
    }
    return HST_OK;
}

int main(int argc, char **argv) {
    if (argc < 3) {
        fprintf(stderr, "usage: classify MODEL.onnx IMAGE...\n");
        return 2;
    }
    hst_model *model = NULL;
    hst_session *session = NULL;
    hst_pipeline *chain = NULL;
    hst_error err;
    hst_status st = hst_model_load_file(argv[1], &model, &err);
    if (!st)
        st = hst_pipeline_create(NULL, argv[1], model, NULL, &chain, &err);
    if (!st)
        st = hst_session_create(model, NULL, &session, &err);
    int failed = st ? complain(&err) : 0;
    for (int i = 2; !st && i < argc; i++)
        if (classify(session, chain, argv[i], &err))
            failed = complain(&err); /* and go on with the next image */
    if (!failed && hst_pipeline_class_count(chain) == 0)
        fprintf(stderr, "classify: no classes: %s\n", hst_pipeline_describe(chain));
    hst_session_destroy(session);
    hst_pipeline_destroy(chain);
    hst_model_destroy(model);
    return failed;
}
