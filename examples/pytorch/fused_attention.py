# SPDX-License-Identifier: BSL-1.0
"""Attention on meta by the fused kernels of a GPU. Of meta tensors PyTorch takes the one that writes all scores to memory."""

import standard_profile  # noqa: F401, before torch

import torch
from torch.nn import functional
from torch.overrides import TorchFunctionMode

NAMES = (functional.scaled_dot_product_attention, torch.ops.aten.scaled_dot_product_attention.default)


class FusedAttention(TorchFunctionMode):
    """While it is entered, scaled dot product attention on meta is what a GPU runs: the flash kernel for 16 bits without a mask, else
    the memory-efficient one. Both keep the inputs, the output and one number a row, and no scores."""

    def __torch_function__(self, function, types, args=(), kwargs=None):
        if function in NAMES:
            made = fused(*args, **(kwargs or {}))
            if made is not None:
                return made
        return function(*args, **(kwargs or {}))


def fused(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, *, scale=None, enable_gqa=False):
    """The output; None where PyTorch has no fused kernel either."""
    if query.device.type != "meta" or any(each.dim() != 4 for each in (query, key, value)):
        return None
    if attn_mask is None and query.dtype in (torch.float16, torch.bfloat16) and query.shape[-1] == value.shape[-1] <= 256:
        return torch.ops.aten._scaled_dot_product_flash_attention.default(query, key, value, dropout_p, is_causal, scale=scale)[0]
    if enable_gqa:
        key, value = (each.repeat_interleave(query.shape[1] // each.shape[1], 1) for each in (key, value))
    if attn_mask is not None:
        if attn_mask.dtype == torch.bool:
            attn_mask = torch.zeros_like(attn_mask, dtype=query.dtype).masked_fill(attn_mask.logical_not(), float("-inf"))
        attn_mask = attn_mask.expand(*query.shape[:3], key.shape[2])
    keeps = torch.is_grad_enabled() and any(each.requires_grad for each in (query, key, value))
    return torch.ops.aten._scaled_dot_product_efficient_attention.default(query, key, value, attn_mask, keeps, dropout_p, is_causal,
                                                                          scale=scale)[0]
