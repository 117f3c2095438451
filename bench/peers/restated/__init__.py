# SPDX-License-Identifier: BSL-1.0
"""Planners of papers, reimplemented from their text. Each states its section there, and its differences."""
