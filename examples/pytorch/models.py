# SPDX-License-Identifier: BSL-1.0
"""Small models to try the programs with. Each function returns a module, the arguments of one microbatch, and maybe a loss."""

import torch
from torch import nn
from torch.nn import functional


class Block(nn.Module):
    """A decoder: attention and a feed-forward network, each behind a norm and beside a residual."""

    def __init__(self, width, heads, dropout):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        batch, tokens, width = x.shape
        q, k, v = (each.view(batch, tokens, self.heads, -1).transpose(1, 2) for each in self.qkv(self.norm1(x)).chunk(3, -1))
        mixed = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.dropout(self.out(mixed.transpose(1, 2).reshape(batch, tokens, width)))
        return x + self.dropout(self.down(functional.gelu(self.up(self.norm2(x)))))


class Transformer(nn.Module):
    def __init__(self, layers, width, words, heads, tied, dropout):
        super().__init__()
        self.embedding = nn.Embedding(words, width)
        self.layers = nn.ModuleList(Block(width, heads, dropout) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, words, bias=False)
        nn.init.normal_(self.embedding.weight, std=0.02)  # else logits are so far apart that gradients are denormal numbers, and slow
        if tied:
            self.head.weight = self.embedding.weight

    def forward(self, tokens):
        x = self.embedding(tokens)
        for layer in self.layers:
            x = layer(x)
        return self.head(self.norm(x))


def next_token(logits, tokens):
    """The loss of guessing the next token; the target is the input."""
    return functional.cross_entropy(logits[:, :-1].flatten(0, 1).float(), tokens[:, 1:].flatten())


def toy_transformer(layers=8, width=128, words=1000, heads=4, tokens=64, batch=4, tied=True, dropout=0.0):
    torch.manual_seed(1)
    module = Transformer(layers, width, words, heads, tied, dropout)
    return module, (torch.randint(0, words, (batch, tokens)),), next_token


def dropout_transformer(**settings):
    return toy_transformer(**{"layers": 4, "tied": False, "dropout": 0.1, **settings})


class Residual(nn.Module):
    def __init__(self, channels, stride=1):
        super().__init__()
        inner = channels * stride
        self.conv1, self.norm1 = nn.Conv2d(channels, inner, 3, stride, 1, bias=False), nn.BatchNorm2d(inner)
        self.conv2, self.norm2 = nn.Conv2d(inner, inner, 3, 1, 1, bias=False), nn.BatchNorm2d(inner)
        self.relu = nn.ReLU(inplace=True)
        self.shortcut = nn.Conv2d(channels, inner, 1, stride, bias=False) if stride != 1 else None

    def forward(self, x):
        y = self.norm2(self.conv2(self.relu(self.norm1(self.conv1(x)))))
        return self.relu(y + (x if self.shortcut is None else self.shortcut(x)))


class ResNet(nn.Module):
    def __init__(self, channels, classes):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, channels, 3, 1, 1, bias=False), nn.BatchNorm2d(channels), nn.ReLU(inplace=True))
        self.blocks = nn.Sequential(Residual(channels), Residual(channels, 2), Residual(2 * channels), Residual(2 * channels, 2))
        self.head = nn.Linear(4 * channels, classes)

    def forward(self, x):
        return self.head(self.blocks(self.stem(x)).mean((2, 3)))


def resnet(channels=16, classes=10, size=32, batch=8):
    torch.manual_seed(1)
    return ResNet(channels, classes), (torch.randn(batch, 3, size, size),)


class Convolutions(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.inner = nn.Sequential(nn.Conv2d(inputs, outputs, 3, 1, 1), nn.GroupNorm(4, outputs), nn.SiLU(),
                                   nn.Conv2d(outputs, outputs, 3, 1, 1), nn.SiLU())

    def forward(self, x):
        return self.inner(x)


class UNet(nn.Module):
    """Its way up takes what its way down returned: skips over all that is between."""

    def __init__(self, channels, depth):
        super().__init__()
        widths = [channels * 2**each for each in range(depth + 1)]
        self.first = nn.Conv2d(3, channels, 3, 1, 1)
        self.down = nn.ModuleList(Convolutions(a, b) for a, b in zip(widths, widths[1:]))
        self.middle = Convolutions(widths[-1], widths[-1])
        self.up = nn.ModuleList(Convolutions(2 * b, a) for a, b in reversed(list(zip(widths, widths[1:]))))
        self.last = nn.Conv2d(channels, 3, 1)

    def forward(self, x):
        x, kept = self.first(x), []
        for each in self.down:
            x = each(x)
            kept.append(x)
            x = functional.avg_pool2d(x, 2)
        x = self.middle(x)
        for each in self.up:
            x = functional.interpolate(x, scale_factor=2.0, mode="nearest")
            x = each(torch.cat([x, kept.pop()], 1))
        return self.last(x)


def unet(channels=8, depth=3, size=32, batch=4):
    torch.manual_seed(1)
    return UNet(channels, depth), (torch.randn(batch, 3, size, size),)


def in_place():
    """Modules that change their input, at the ends of layers, too."""
    torch.manual_seed(1)
    module = nn.Sequential(nn.Linear(16, 32), nn.ReLU(inplace=True), nn.Linear(32, 32), nn.BatchNorm1d(32), nn.SiLU(inplace=True),
                           nn.Linear(32, 32), nn.LeakyReLU(0.1, inplace=True), nn.Linear(32, 8))
    return module, (torch.randn(16, 16),)


class Again(nn.Module):
    """One block called three times, with others between, and a mask and a table that every block takes."""

    def __init__(self, width, tokens):
        super().__init__()
        self.inner = nn.Linear(3, width)
        self.shared = nn.Linear(width, width)
        self.others = nn.ModuleList(nn.Linear(width, width) for _ in range(3))
        self.outer = nn.Linear(width, 2)
        self.register_buffer("rates", torch.linspace(0.5, 1, tokens))

    def forward(self, x):
        x = self.inner(x)
        table = torch.cos(torch.outer(torch.arange(x.shape[1]).to(self.rates), self.rates[:1])).expand(-1, x.shape[2])
        for other in self.others:
            x = other(torch.tanh(self.shared(x)) * table)
        return self.outer(x)


def again(width=16, tokens=12, batch=4):
    torch.manual_seed(1)
    return Again(width, tokens), (torch.randn(batch, tokens, 3),)


class Towers(nn.Module):
    """Two ways side by side: a graph, and no chain."""

    def __init__(self, width, depth):
        super().__init__()
        self.left = nn.ModuleList(nn.Linear(width, width) for _ in range(depth))
        self.right = nn.ModuleList(nn.Linear(width, width) for _ in range(depth))
        self.joint = nn.Linear(2 * width, width)

    def forward(self, x, y):
        for each in self.left:
            x = torch.tanh(each(x))
        for each in self.right:
            y = torch.tanh(each(y))
        return self.joint(torch.cat([x, y], -1))


def towers(width=64, depth=4, batch=16):
    torch.manual_seed(1)
    return Towers(width, depth), (torch.randn(batch, width), torch.randn(batch, width))
