"""Highlight rules: what they look for and where, those that come with trajview, and files with more of them."""

from .built_in import built_in_rules
from .change import change_rule, has_rule
from .project import project_file, read_project
from .rule import COLOURS, FIELDS, Rule, compile_pattern, compile_rule
from .tables import RuleError, append_rule, rules_in

__all__ = [
    "COLOURS", "FIELDS", "Rule", "RuleError", "append_rule", "built_in_rules", "change_rule", "compile_pattern", "compile_rule", "has_rule",
    "project_file", "read_project", "rules_in",
]  # fmt: skip
