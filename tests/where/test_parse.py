"""The grammar of the filter: a table of what is read how, errors with their columns, and printing beside parsing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajview.where.fields import FIELDS, Kind
from trajview.where.parse import parse, parse_sort
from trajview.where.syntax import And, Compare, Flag, Literal, Not, Or, Query, Text, WhereError, number_in

from .strategies import queries

READ = [
    ("", ""),
    ("nightbus", "nightbus"),
    ("foo bar", "foo and bar"),
    ("foo and bar or baz", "foo and bar or baz"),
    ("foo and (bar or baz)", "foo and (bar or baz)"),
    ("foo AND NOT bar", "foo and not bar"),
    ("not not foo", "not not foo"),
    ("not (foo bar)", "not (foo and bar)"),
    ("((foo))", "foo"),
    ('"two words"', '"two words"'),
    ("'or'", '"or"'),
    ('"plain"', "plain"),
    (r'"a \"b\" \\ \w \n"', r'"a \"b\" \\ \\w \n"'),
    ("don't", "don't"),
    ("[b] deep/folder.jsonl #3 a,b hello! -x", "[b] and deep/folder.jsonl and #3 and a,b and hello! and -x"),
    ("reward", "reward"),
    ("in the end", "in and the and end"),
    ("reward<0.5", "reward < 0.5"),
    ("Reward >= .5", "reward >= .5"),
    ("model = gpt-4", "models == gpt-4"),
    ("model~gpt|claude", "models ~ gpt|claude"),
    ('model ~ "(gpt|claude)-4"', 'models ~ "(gpt|claude)-4"'),
    ("source !~ old", "source !~ old"),
    ("reward != none", "reward != none"),
    ("reward.goal > 7", "reward.goal > 7"),
    ("rewards.Goal == 1", "rewards.Goal == 1"),
    ("tools.bash > 3", "tools.bash > 3"),
    ("size > 10MB tokens<20k", "size > 10MB and tokens < 20k"),
    ("format in (docent, 'x, y')", 'format in (docent, "x, y")'),
    ("format not in (docent,sotopia)", "format not in (docent, sotopia)"),
    ("format in(docent)", "format == docent"),
    ("annotated", "annotated"),
    ("not annotated = false", "not annotated == false"),
    ("state == draft", "status == draft"),
    ("metadata.task.name == 'A b'", 'metadata.task.name == "A b"'),
    ('metadata."a key".x == "3"', 'metadata."a key".x == "3"'),
    ("metadata.solved", "metadata.solved"),
    ("sort:-reward,units", "sort:-reward,units"),
    ("foo sort:-metadata.\"a b\", id bar", 'foo and bar sort:-metadata."a b",id'),
    ("T0:1 http://x a&&b !bash", "T0:1 and http://x and a&&b and !bash"),
    ("'format:x'", '"format:x"'),
    ("a or b sort:model", "a or b sort:models"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "canonical"), READ, ids=[text for text, _ in READ])
def test_a_text_is_read_as_this_filter(text: str, canonical: str) -> None:
    query = parse(text)
    assert str(query) == canonical
    assert parse(canonical) == query
    assert parse(text, forgiving=True) == query


def test_and_binds_closer_than_or_and_not_closest() -> None:
    a, b, c = Text("a"), Text("b"), Text("c")
    assert parse("a b or not c and a").node == Or((And((a, b)), And((Not(c), a))))


def test_a_value_in_quotes_is_a_text_and_one_without_may_be_a_number() -> None:
    assert parse("metadata.x == 3").node != parse('metadata.x == "3"').node
    assert Literal("3").number == 3
    assert Literal("3", True).number is None
    assert Literal("none", True).is_none is False


@pytest.mark.parametrize(
    ("text", "number"),
    [("1", 1), ("-1.5", -1.5), (".5", 0.5), ("1e3", 1000), ("20k", 20_000), ("1_000", 1000), ("2.5MB", 2.5e6), ("35%", 0.35),
     ("", None), ("x", None), ("1x", None), ("--1", None), ("nan", None), ("²", None), ("1e", None)],
)  # fmt: skip
def test_numbers_are_written_as_people_do(text: str, number: float | None) -> None:
    found = number_in(text)
    assert found is None if number is None else found == pytest.approx(number)


WRONG = [
    # what is typed, the columns marked, words of the sentence and the hint
    ("rewrd < 3", "^^^^^", "there is no field `rewrd` (did you mean `reward`?)"),
    ("x or Modle ~ y", "     ^^^^^", "did you mean `model`?"),
    ("task == 3", "^^^^", "`metadata.task`"),
    ("reward < abc", "         ^^^", "a number"),
    ('reward < "1"', "         ^^^", "a number"),
    ("reward ~ 3", "       ^", "~ looks in texts"),
    ("reward < none", "       ^", "nothing is < none"),
    ("agents > ann", "         ^^^", "a number"),
    ("annotated > 3", "          ^", "yes or no"),
    ("annotated == 3", "             ^", "not annotated"),
    ("format.x == 3", "      ^^", "no parts"),
    ("metadata == 3", "^^^^^^^^", "metadata.task"),
    ("metadata..x == 3", "^^^^^^^^^^^", "a name has to follow"),
    ("foo )", "    ^", "no ( that this ) closes"),
    ("foo ()", "    ^^", "nothing stands within"),
    ("and foo", "^^^", "something has to stand before `and`"),
    ("foo or or bar", "       ^^", "before `or`"),
    ("foo (or bar)", "     ^^", "before `or`"),
    ("(foo and)", "        ^", "before this )"),
    ("not and", "    ^^^", "follow `not`"),
    ("<think>", "^", "put it in quotes"),
    ("~ x", "^", "a field has to stand before ~"),
    ("reward < )", "         ^", "a value has to follow"),
    ("path ~ a(b) c", "       ^^", "in quotes"),
    ('model ~ "a[b" c', "          ^", "unterminated character set"),
    ('model ~ "" c', "        ^^", "empty pattern"),
    ("format in (a b)", "             ^", "a comma or a )"),
    ("reward in (1, x)", "              ^", "a number"),
    ("reward > 0 && units > 3", "           ^^", "write `and`"),
    ("reward > 0 || units > 3", "           ^^", "write `or`"),
    ("foo !annotated", "    ^^^^^^^^^^", "write `not annotated`"),
    ("foo format:docent", "    ^^^^^^^^^^^^^", "write `format == docent`"),
    ("format: docent", "^^^^^^^", "write `format == …`"),
    ("reward => 1", "       ^^", "write `reward >= …`"),
    ("sort:foo bar", "     ^^^", "no field `foo`"),
    ("sort:-,x", "     ^", "the name of a field"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "marks", "said"), WRONG, ids=[text for text, _, _ in WRONG])
def test_what_is_wrong_is_said_with_its_columns(text: str, marks: str, said: str) -> None:
    with pytest.raises(WhereError) as caught:
        parse(text)
    error = caught.value
    assert " " * error.start + "^" * (error.end - error.start) == marks
    assert said in error.said()
    assert not error.incomplete


@pytest.mark.parametrize(
    ("text", "left"),
    [("foo and", "foo"), ("foo or", "foo"), ("not", ""), ("foo not", "foo"), ("reward <", ""), ("a and reward < ", "a"),
     ('"two wor', '"two wor"'), ("(foo or bar", "foo or bar"), ("(foo or", "foo"), ("(", ""), ("format in (", ""),
     ("format in (a,", "format == a"), ("sort:", ""), ("foo sort:-reward,", "foo sort:-reward"), ("metadata.", ""),
     ("not (a and reward >=", "not a")],
)  # fmt: skip
def test_what_is_begun_and_not_complete_does_not_count_while_it_is_typed(text: str, left: str) -> None:
    with pytest.raises(WhereError) as caught:
        parse(text)
    assert caught.value.incomplete
    assert caught.value.start == len(text)
    assert str(parse(text, forgiving=True)) == left


def test_a_pattern_that_is_still_typed_is_incomplete() -> None:
    for text in ('model ~ "(gpt', "model ~ [a", "model ~ gpt\\"):
        with pytest.raises(WhereError) as caught:
            parse(text, forgiving=True)
        assert caught.value.incomplete, text


def test_nesting_has_an_end_and_no_recursion_error() -> None:
    for text in ("(" * 5000 + "a" + ")" * 5000, "not " * 5000 + "a"):
        with pytest.raises(WhereError, match="nested too deeply"):
            parse(text)


def test_the_keys_of_an_order_can_stand_alone() -> None:
    assert [str(by) for by in parse_sort("-reward,units,metadata.task")] == ["-reward", "units", "metadata.task"]
    for text in ("", "reward units", "-", "nothing"):
        with pytest.raises(WhereError):
            parse_sort(text)


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.name)
def test_every_field_is_compared_as_its_kind_says(field: object) -> None:
    from trajview.where.fields import Field

    assert isinstance(field, Field)
    name = f"{field.name}.x" if field.needs_part else field.name
    values = {Kind.NUMBER: "3", Kind.NUMBERS: "3", Kind.FLAG: "true"}
    for alias in (name, *field.aliases):
        node = parse(f"{alias} == {values.get(field.kind, 'x')}").node
        assert isinstance(node, Compare)
        assert node.ref.field is field


@given(queries)
def test_a_filter_that_is_written_and_read_again_is_the_same(query: Query) -> None:
    assert parse(str(query)) == query
    assert str(parse(str(query))) == str(query)


@given(st.text(alphabet="ab \"'()<>=!~\\,.-:13\n\tnotradisu|[*", max_size=25), st.booleans())
def test_any_text_is_a_filter_or_an_error_within_it(text: str, forgiving: bool) -> None:
    query, wrong = None, None
    try:
        query = parse(text, forgiving=forgiving)
    except WhereError as error:
        wrong = error
    if wrong is None:
        assert parse(str(query)) == query
    else:
        assert 0 <= wrong.start <= len(text)
        assert wrong.start < wrong.end <= len(text) + 1
        assert wrong.said()


def test_a_text_with_a_quote_behind_a_point_is_written_in_quotes() -> None:
    query = parse("a.'", forgiving=True)
    assert str(query) == '"a.\'"'
    assert parse(str(query)) == query


def test_a_flag_can_stand_alone() -> None:
    assert parse("flagged").node == Flag(parse("flagged == true").node.ref)  # type: ignore[union-attr]
