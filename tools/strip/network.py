"""The strip network: an 18-layer residual network of a quarter of the usual width.

Four stages of two basic blocks (He et al., "Deep Residual Learning for Image Recognition", 2015) with
16, 32, 64 and 128 channels, and a 3x3 stem in place of the 7x7 one.
"""

import torch
from torch import nn

WIDTHS = (16, 32, 64, 128)


class BasicBlock(nn.Module):
    """Two 3x3 convolutions and a shortcut; a 1x1 convolution on the shortcut where the shape changes."""

    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.shortcut = nn.Sequential()
        if stride != 1 or inputs != outputs:
            self.shortcut = nn.Sequential(
                nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs)
            )

    def forward(self, x):
        y = torch.relu(self.bn1(self.conv1(x)))
        return torch.relu(self.bn2(self.conv2(y)) + self.shortcut(x))


class StripNet(nn.Module):
    """Normalised RGB [N, 3, 224, 224] to logits [N, classes]."""

    def __init__(self, classes):
        super().__init__()
        self.stem = nn.Conv2d(3, WIDTHS[0], 3, 2, padding=1, bias=False)
        self.stem_bn = nn.BatchNorm2d(WIDTHS[0])
        self.pool = nn.MaxPool2d(3, 2, padding=1)
        blocks = []
        inputs = WIDTHS[0]
        for stage, width in enumerate(WIDTHS):
            blocks.append(BasicBlock(inputs, width, 1 if stage == 0 else 2))
            blocks.append(BasicBlock(width, width, 1))
            inputs = width
        self.blocks = nn.Sequential(*blocks)
        self.average = nn.AdaptiveAvgPool2d(1)
        self.classify = nn.Linear(inputs, classes)

    def forward(self, x):
        x = self.pool(torch.relu(self.stem_bn(self.stem(x))))
        return self.classify(self.average(self.blocks(x)).flatten(1))


def count_macs(model, side=224):
    """Multiply-accumulates of the convolutions and the linear layer for one picture."""
    total = 0

    def add(module, _, output):
        nonlocal total
        positions = output[0, 0].numel() if output.dim() == 4 else 1
        total += module.weight.numel() * positions

    hooks = [
        m.register_forward_hook(add) for m in model.modules() if isinstance(m, (nn.Conv2d, nn.Linear))
    ]
    with torch.no_grad():
        model(torch.zeros(1, 3, side, side))
    for hook in hooks:
        hook.remove()
    return total
