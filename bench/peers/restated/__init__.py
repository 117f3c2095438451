# SPDX-License-Identifier: BSL-1.0
"""Planners of papers, written anew from their text. Each says where it stands there, and in what it differs."""
