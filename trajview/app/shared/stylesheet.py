"""Textual's stylesheet, without finding anew what nothing has changed: the styles of a widget's component classes.

A transcript has some sixty of them, and Textual looks for the rules of each one whenever the widget, or anything around
it, takes the focus or changes a class.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple
from weakref import WeakKeyDictionary

from textual.cache import LRUCache
from textual.css.model import SelectorType
from textual.css.stylesheet import Stylesheet as _Stylesheet
from textual.dom import DOMNode

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence, Set

    from textual.css.model import RuleSet, Selector
    from textual.css.styles import RulesMap

__all__ = ["Stylesheet", "restyle_for", "stylesheet_with"]

_KEPT: Final = 500
"""So many states of widgets are remembered."""
_SOURCES: Final = 200
"""So many sources of CSS are kept parsed, for each theme."""

_OF_SHEETS: Final = ("_parse_cache", "_process_component_classes", "_variables")
_OF_NODES: Final = ("_attach", "_classes", "_component_styles", "_get_component_classes", "_id", "_selector_names")
"""Names of Textual's that are its own business, and may be others in its next version."""


class _Rules(NamedTuple):
    """What can style the component classes of one class of widgets."""

    rules: tuple[RuleSet, ...]
    key: tuple[int, ...]
    """The rules' identities."""
    pseudo_classes: tuple[str, ...]
    """Those that the rules ask for, of whichever node."""


_PARSED: Final[dict[frozenset[tuple[str, str]], LRUCache[tuple[object, ...], list[RuleSet]]]] = {}
"""What was parsed, by the theme's variables. For all apps of a process, of which the tests start hundreds."""

_FOUND: Final[dict[Hashable, tuple[tuple[RuleSet, ...], dict[str, RulesMap]]]] = {}
"""The styles of a state, and the rules they are made of (they live as long, for their identities are in the key)."""


class Stylesheet(_Stylesheet):
    """Does what Textual's does; asks only once what a state of a widget, and of what is around it, looks like."""

    def __init__(self, *, variables: dict[str, str] | None = None) -> None:
        super().__init__(variables=variables)
        self._parse_cache = _parsed_with(self._variables)
        self._styled: WeakKeyDictionary[DOMNode, tuple[Hashable, _Rules]] = WeakKeyDictionary()
        """The state in which a widget was styled, and by what (kept, so that no other rule gets the identity of one)."""
        self._asking: dict[type[DOMNode], _Rules] = {}
        self._asked: list[RuleSet] = []
        """The rules that `_asking` is made of."""
        self._places: dict[int, int] = {}
        """Where each of them is, by its identity."""

    def set_variables(self, variables: dict[str, str]) -> None:
        self._parse_cache = LRUCache(1)  # Which is cleared, where the other would have been.
        super().set_variables(variables)
        self._parse_cache = _parsed_with(variables)

    def reparse(self) -> None:
        """Take on the variables; Textual's parses all with another stylesheet for that, which remembers nothing."""
        self.parse()

    def _process_component_classes(self, node: DOMNode) -> None:
        components = node._get_component_classes()
        if not components:
            return
        rules = self._rules_for(node, components)
        state = (
            rules.key,
            tuple(
                (
                    type(above),
                    above._id,
                    frozenset(above._classes),
                    tuple(name for name in rules.pseudo_classes if above.has_pseudo_class(name)),
                )
                for above in node.css_path_nodes
            ),
        )
        styled = self._styled.get(node)
        if styled is not None and styled[0] == state and len(node._component_styles) == len(components):
            return
        found = _FOUND.get(state)
        if found is None:
            super()._process_component_classes(node)
            if len(_FOUND) >= _KEPT:
                _FOUND.clear()
            styles = {name: styles.base.get_rules() for name, styles in node._component_styles.items()}
            _FOUND[state] = (rules.rules, styles)
        else:
            self._put_on(node, found[1])
        self._styled[node] = (state, rules)

    def touched_by(self, classes: Set[str], screen: DOMNode) -> set[str]:
        """What rules that ask for a class of a screen are for: names of types, classes and ids, as selectors say them."""
        own = screen._selector_names

        def asks(selectors: Sequence[Selector]) -> bool:
            first = selectors[0]
            others = first.type is SelectorType.TYPE and first.name not in own  # those of another screen
            return not others and any(selector.name in classes for selector in selectors)

        asking = (rule for rule in self.rules if any(asks(each.selectors) for each in rule.selector_set))
        return set[str]().union(*(rule.selector_names for rule in asking))

    def _put_on(self, node: DOMNode, found: dict[str, RulesMap]) -> None:
        """Give a widget's component classes the styles that were found for its state before."""
        before = node._component_styles.copy()
        node._component_styles.clear()
        changed = False
        for component, rules in found.items():
            virtual = DOMNode(classes=component)
            virtual._attach(node)
            virtual.styles.base.merge_rules(rules)
            node._component_styles[component] = virtual.styles
            changed = changed or before.get(component) != virtual.styles
        if changed:
            node.refresh()

    def _rules_for(self, node: DOMNode, components: frozenset[str]) -> _Rules:
        if self._asked is not self.rules:
            self._asked = self.rules
            self._asking.clear()
            self._places = {id(rule): place for place, rule in enumerate(self._asked)}
        kind = type(node)
        if kind not in self._asking:
            names = DOMNode()._selector_names | {f".{name}" for name in components}
            wanted = {id(rule): rule for name in self.rules_map.keys() & names for rule in self.rules_map[name]}
            rules = tuple(wanted[key] for key in sorted(wanted, key=self._places.__getitem__))
            asked = sorted(set[str]().union(*(rule.pseudo_classes for rule in rules)))
            self._asking[kind] = _Rules(rules, tuple(map(id, rules)), tuple(asked))
        return self._asking[kind]


def restyle_for(screen: DOMNode, classes: Set[str]) -> None:
    """Style anew what looks otherwise now that a screen has got, or lost, these classes: mostly a few of its widgets."""
    sheet = screen.app.stylesheet
    if not isinstance(sheet, Stylesheet):
        screen.update_node_styles(animate=False)
        return
    names = sheet.touched_by(classes, screen)
    nodes = [
        node
        for node in screen.walk_children(with_self=True)
        if node is screen or not names.isdisjoint(node._selector_names) or not names.isdisjoint(_components_of(node))
    ]
    sheet.update_nodes(nodes)


def _components_of(node: DOMNode) -> Iterator[str]:
    return (f".{name}" for name in node._get_component_classes())


def stylesheet_with(variables: dict[str, str]) -> _Stylesheet:
    """A stylesheet with a theme's variables: Textual's own, where Textual is not made as it was."""
    sheet, node = _Stylesheet(), DOMNode()
    if all(hasattr(sheet, name) for name in _OF_SHEETS) and all(hasattr(node, name) for name in _OF_NODES):
        return Stylesheet(variables=variables)
    return _Stylesheet(variables=variables)


def _parsed_with(variables: dict[str, str]) -> LRUCache[tuple[object, ...], list[RuleSet]]:
    """The cache of what is parsed with these variables."""
    return _PARSED.setdefault(frozenset(variables.items()), LRUCache(_SOURCES))
