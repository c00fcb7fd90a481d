#!/usr/bin/env python3
"""Export well-known architectures with random weights as ONNX files, to compare engines.

usage: export_models.py OUTDIR [NAME...]      needs torch torchvision timm transformers
                                              onnx onnxscript
Every model is written by both exporters: NAME.ts.onnx (TorchScript, opset 13) and
NAME.dy.onnx (torch.export, opset 18), with its inputs as NAME.INPUT.npy. What an exporter
cannot write is said and left out.
"""
import pathlib
import sys
import warnings

import numpy as np
import torch

warnings.filterwarnings("ignore")
torch.manual_seed(0)

VISION = ["alexnet", "vgg11_bn", "resnet18", "resnext50_32x4d", "densenet121", "googlenet",
          "inception_v3", "mnasnet0_5", "mobilenet_v3_small", "shufflenet_v2_x0_5",
          "squeezenet1_0", "efficientnet_b0", "regnet_y_400mf", "convnext_tiny", "vit_b_32",
          "swin_t", "maxvit_t"]
TIMM = ["mobilevit_xxs", "mobileone_s0", "repvgg_a0", "ghostnetv2_100", "mobilenetv4_conv_small",
        "fastvit_t8", "edgenext_xx_small", "levit_128s", "poolformerv2_s12", "mixer_s32_224",
        "resnest14d", "hrnet_w18_small", "nf_regnet_b0", "cait_xxs24_224", "coat_lite_tiny",
        "crossvit_tiny_240", "deit_tiny_patch16_224", "efficientformer_l1", "gmlp_s16_224",
        "hardcorenas_a", "lcnet_050", "mobilenetv3_large_100", "pit_ti_224", "pvt_v2_b0",
        "rexnet_100", "skresnet18", "tinynet_e", "tnt_s_patch16_224",
        "twins_svt_small", "volo_d1_224", "xcit_nano_12_p16_224", "seresnet50", "dla34",
        "res2net50_26w_4s", "tf_efficientnetv2_b0", "bat_resnext26ts", "eca_nfnet_l0"]


def vision(name):
    import torchvision
    kwargs = {"weights": None}
    if name in ("googlenet", "inception_v3"):
        kwargs |= {"aux_logits": False, "init_weights": True}
    model = getattr(torchvision.models, name)(**kwargs)
    size = 299 if name == "inception_v3" else 224
    return model, {"x": torch.randn(1, 3, size, size)}


def segmentation(name):
    import torchvision

    class Out(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.net = getattr(torchvision.models.segmentation, name)(
                weights=None, weights_backbone=None)

        def forward(self, x):
            return self.net(x)["out"]
    return Out(), {"x": torch.randn(1, 3, 128, 160)}


def image_model(name):
    import timm
    model = timm.create_model(name, pretrained=False, exportable=True)
    size = model.pretrained_cfg.get("input_size", (3, 224, 224))[-1]
    return model, {"x": torch.randn(1, 3, size, size)}


def text_model(kind):
    import transformers as t
    small = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
             "intermediate_size": 128, "vocab_size": 500}
    config = {
        "bert": lambda: t.BertConfig(**small),
        "roberta": lambda: t.RobertaConfig(**small),
        "electra": lambda: t.ElectraConfig(embedding_size=32, **small),
        "albert": lambda: t.AlbertConfig(embedding_size=32, **small),
        "distilbert": lambda: t.DistilBertConfig(dim=64, n_layers=2, n_heads=4, hidden_dim=128,
                                                 vocab_size=500),
        "mobilebert": lambda: t.MobileBertConfig(hidden_size=64, num_hidden_layers=2,
                                                 intra_bottleneck_size=32, embedding_size=32,
                                                 num_attention_heads=4, intermediate_size=64,
                                                 vocab_size=500),
        "gpt2": lambda: t.GPT2Config(n_embd=64, n_layer=2, n_head=4, vocab_size=500),
        "llama": lambda: t.LlamaConfig(num_key_value_heads=2, **small),
        "deberta_v2": lambda: t.DebertaV2Config(**small),
        "mpnet": lambda: t.MPNetConfig(**small),
        "xlm": lambda: t.XLMRobertaConfig(**small),
    }[kind]()
    config._attn_implementation = "eager"
    net = t.AutoModel.from_config(config)

    class Hidden(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.net = net

        def forward(self, ids, mask):
            extra = {"use_cache": False} if kind in ("gpt2", "llama") else {}
            return self.net(input_ids=ids, attention_mask=mask, **extra).last_hidden_state
    ids = torch.randint(5, 500, (1, 24))
    return Hidden(), {"ids": ids, "mask": torch.ones_like(ids)}


class CRNN(torch.nn.Module):
    """Convolutions, a bidirectional LSTM and a GRU over columns: a text recogniser."""

    def __init__(self):
        super().__init__()
        c = lambda i, o, s: torch.nn.Sequential(torch.nn.Conv2d(i, o, 3, s, 1),
                                                torch.nn.BatchNorm2d(o), torch.nn.Hardswish())
        self.body = torch.nn.Sequential(c(3, 16, 2), c(16, 32, (2, 1)), c(32, 64, (2, 1)))
        self.lstm = torch.nn.LSTM(64, 48, num_layers=2, bidirectional=True)
        self.gru = torch.nn.GRU(96, 32)
        self.head = torch.nn.Linear(32, 40)

    def forward(self, x):
        x = self.body(x).mean(2).permute(2, 0, 1)
        return self.head(self.gru(self.lstm(x)[0])[0]).softmax(-1)


class DBNet(torch.nn.Module):
    """A pyramid with ConvTranspose heads: a text detector."""

    def __init__(self):
        super().__init__()
        n = torch.nn
        self.a = n.Sequential(n.Conv2d(3, 16, 3, 2, 1), n.BatchNorm2d(16), n.ReLU())
        self.b = n.Sequential(n.Conv2d(16, 32, 3, 2, 1), n.BatchNorm2d(32), n.Hardsigmoid())
        self.c = n.Conv2d(32, 16, 1)
        self.head = n.Sequential(n.ConvTranspose2d(32, 16, 2, 2), n.BatchNorm2d(16), n.ReLU(),
                                 n.ConvTranspose2d(16, 1, 2, 2), n.Sigmoid())

    def forward(self, x):
        a = self.a(x)
        b = torch.nn.functional.interpolate(self.c(self.b(a)), scale_factor=2, mode="nearest")
        return self.head(torch.cat([a, b], 1))


class YoloHead(torch.nn.Module):
    """Anchors, exp, TopK, gather: what the heads of detectors do after their convolutions."""

    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 3 * 9, 3, 4, 1)

    def forward(self, x):
        b, _, h, w = x.shape
        y = self.conv(x).view(b, 3, 9, h // 4, w // 4).permute(0, 1, 3, 4, 2).reshape(b, -1, 9)
        scores, index = y[..., 4:].sigmoid().amax(-1).topk(50, dim=1)
        boxes = torch.gather(y[..., :4], 1, index.unsqueeze(-1).expand(-1, -1, 4))
        return boxes.exp().clamp(max=100), scores, torch.cumsum(scores, 1)


CUSTOM = {"crnn": (CRNN, (1, 3, 32, 100)), "dbnet": (DBNet, (1, 3, 64, 96)),
          "yolo_head": (YoloHead, (1, 3, 64, 64))}
TEXT = ["bert", "roberta", "electra", "albert", "distilbert", "mobilebert", "gpt2", "llama",
        "deberta_v2", "mpnet", "xlm"]
SEGMENT = ["deeplabv3_mobilenet_v3_large", "lraspp_mobilenet_v3_large", "fcn_resnet50"]


def build(name):
    if name in CUSTOM:
        model, shape = CUSTOM[name]
        return model(), {"x": torch.randn(*shape)}
    if name in TEXT:
        return text_model(name)
    if name in SEGMENT:
        return segmentation(name)
    return vision(name) if name in VISION else image_model(name)


def settle(model, inputs):
    """Statistics of BatchNormalization from the input, so that nothing dies or explodes."""
    model.train()
    for module in model.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0
        if isinstance(module, torch.nn.modules.batchnorm._BatchNorm):
            module.momentum = None
    batch = [torch.cat([v, v.flip(-1) if v.is_floating_point() else v]) for v in inputs.values()]
    with torch.no_grad():
        try:
            model(*batch)
        except Exception:  # a model that cannot train stays as it is
            pass
    return model.eval()


def main(out, names):
    folder = pathlib.Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    for name in names or list(CUSTOM) + TEXT + SEGMENT + VISION + TIMM:
        try:
            model, inputs = build(name)
            model = settle(model, inputs)
        except Exception as error:
            print(f"{name}: not built: {str(error).splitlines()[0][:100]}", flush=True)
            continue
        for key, value in inputs.items():
            np.save(folder / f"{name}.{key}.npy", value.numpy())
        for kind, options in (("ts", {"dynamo": False, "opset_version": 13}),
                              ("dy", {"dynamo": True, "opset_version": 18,
                                      "external_data": False})):
            path = folder / f"{name}.{kind}.onnx"
            try:
                torch.onnx.export(model, tuple(inputs.values()), str(path),
                                  input_names=list(inputs), verbose=False, **options)
                print(f"{path.name}: {path.stat().st_size >> 10} kB", flush=True)
            except Exception as error:
                text = (str(error).splitlines() or [""])[0][:100]
                print(f"{path.name}: not exported: {text}", flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2:])
