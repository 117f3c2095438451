# SPDX-License-Identifier: BSL-1.0
"""A model of Hugging Face's transformers from its config.json alone, without weights."""

import os

import standard_profile  # noqa: F401, before torch

import torch
from torch import nn
from torch.nn import functional

from plan_file import Refused


class Logits(nn.Module):
    """The model as a function of tokens: no cache, and of what it returns the logits, or else the last hidden state."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, tokens):
        more = {"use_cache": False} if self.model.can_generate() else {}
        if self.model.config.is_encoder_decoder:
            more["decoder_input_ids"] = tokens  # as many tokens on both sides
        returned = self.model(**{self.model.main_input_name: tokens}, return_dict=True, **more)
        return returned.logits if hasattr(returned, "logits") else returned.last_hidden_state


def next_token(logits, tokens):
    if logits.shape[:2] != tokens.shape[:2] or tokens.is_floating_point():
        return logits.float().square().mean()
    return functional.cross_entropy(logits[:, :-1].flatten(0, 1).float(), tokens[:, 1:].flatten() % logits.shape[-1])


def load(path, microbatch=1, sequence=None, dtype=None, device="meta"):
    """Makes (module, args, loss) of a config.json, of the class that it names in `architectures`."""
    try:
        import transformers
    except ImportError as problem:
        raise Refused("--hf-config needs the package transformers: pip install transformers") from problem
    if not os.path.exists(path):
        raise Refused(f"{path}: no such file")
    transformers.logging.set_verbosity_error()
    try:
        config = transformers.AutoConfig.from_pretrained(path)
    except (ValueError, OSError, KeyError) as problem:
        raise Refused(f"{path}: {str(problem).splitlines()[0]}") from problem
    named = next((getattr(transformers, each, None) for each in config.architectures or []), None)
    kind = dtype or str(getattr(config, "dtype", None) or "bfloat16").replace("torch.", "")
    if not isinstance(getattr(torch, kind, None), torch.dtype):
        raise Refused(f"torch has no type {kind}")
    config._attn_implementation = "sdpa"
    try:
        with torch.device(device):
            make = named._from_config if named is not None else transformers.AutoModel.from_config
            model = make(config, dtype=getattr(torch, kind))
    except ValueError:  # a model without that kind of attention
        config._attn_implementation = "eager"
        with torch.device(device):
            model = (named._from_config if named is not None else transformers.AutoModel.from_config)(config, dtype=getattr(torch, kind))
    if model.main_input_name == "pixel_values" and hasattr(config, "image_size"):
        sides = config.image_size if isinstance(config.image_size, (list, tuple)) else [config.image_size] * 2
        pictures = torch.randn((microbatch, getattr(config, "num_channels", 3), *sides), dtype=getattr(torch, kind), device=device)
        return Logits(model.train()), (pictures,), next_token
    text = config.get_text_config()
    if model.main_input_name != "input_ids" or not hasattr(text, "vocab_size"):
        raise Refused(f"{path}: the model takes {model.main_input_name}, of which the configuration does not say enough: write a factory that "
                      "returns the module and its arguments, for --model my_file.py:make")
    tokens = sequence or min(2048, getattr(text, "max_position_embeddings", None) or 2048)
    words = torch.randint(0, text.vocab_size, (microbatch, tokens), device=device)
    return Logits(model.train()), (words,), next_token
