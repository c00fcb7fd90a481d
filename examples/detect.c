/* Finds objects in a photograph: detect MODEL.onnx IMAGE [DRAWN.jpg]. Prints a line for
 * each: score, class, corners in pixels, landmarks where the network gives them. */
#include <hasten/hasten.h>
#include <stdio.h>

enum { OUTPUTS_MAX = 16 };

static void print_detection(const hst_detection *d) {
    printf("%.3f %s", d->score, d->label ? d->label : "");
    if (!d->label)
        printf("%d", d->class_index);
    printf(" %.1f %.1f %.1f %.1f", d->x0, d->y0, d->x1, d->y1);
    for (int i = 0; i < d->n_landmarks; i++)
        printf(" %.1f,%.1f", d->landmarks[i][0], d->landmarks[i][1]);
    printf("\n");
}

static hst_status detect(hst_session *session, hst_pipeline *chain, const char *path,
                         const char *drawn, hst_error *err) {
    const hst_tensor *outputs[OUTPUTS_MAX];
    size_t n = 0;
    hst_status st = hst_pipeline_load_file(chain, path, NULL, err);
    if (st)
        return st;
    const hst_tensor *input = hst_pipeline_input(chain);
    st = hst_session_run(session, &input, 1, err);
    if (st)
        return st;
    while (n < OUTPUTS_MAX && (outputs[n] = hst_session_output(session, n)))
        n++;
    st = hst_pipeline_finish(chain, outputs, n, NULL, err);
    for (size_t i = 0; !st && i < hst_pipeline_detection_count(chain); i++) {
        hst_detection d;
        st = hst_pipeline_get_detection(chain, i, &d, err);
        if (!st)
            print_detection(&d);
    }
    return st || !drawn ? st : hst_pipeline_draw(chain, drawn, err);
}

int main(int argc, char **argv) {
    if (argc != 3 && argc != 4) {
        fprintf(stderr, "usage: detect MODEL.onnx IMAGE [DRAWN.jpg]\n");
        return 2;
    }
    hst_model *model = NULL;
    hst_session *session = NULL;
    hst_pipeline *chain = NULL;
    hst_error err;
    hst_status st = hst_model_load_file(argv[1], &model, &err);
    if (!st)
        st = hst_pipeline_create(NULL, argv[1], model, NULL, &chain, &err);
    if (!st && hst_pipeline_note(chain))
        fprintf(stderr, "detect: %s\n", hst_pipeline_note(chain));
    if (!st && hst_pipeline_task(chain) != HST_TASK_DETECT)
        fprintf(stderr, "detect: %s does not detect: no boxes will come\n", argv[1]);
    if (!st)
        st = hst_session_create(model, NULL, &session, &err);
    if (!st)
        st = detect(session, chain, argv[2], argc == 4 ? argv[3] : NULL, &err);
    if (st)
        fprintf(stderr, "detect: %s\n", err.message);
    hst_session_destroy(session);
    hst_pipeline_destroy(chain);
    hst_model_destroy(model);
    return st ? 1 : 0;
}
